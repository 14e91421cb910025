import pytest
from shop import settings


@pytest.fixture(scope="session")
def known():
    return dict(settings.NAMES)


@pytest.fixture(params=["apple", "cheese"])
def thing(request):
    return request.param, settings.named(request.param)
