from calc.evaluator import CalcError, evaluate
from calc.parser import ParseError, parse
from calc.tokens import Token, tokenize

__all__ = ["CalcError", "ParseError", "Token", "evaluate", "parse", "tokenize"]
