// The demo project on the screen, by keyboard and mouse, in one window.

import { checks as beginning } from "./beginning.mjs";
import { checks as choosing } from "./choosing.mjs";
import { checks as looking } from "./looking.mjs";
import { checks as losing } from "./losing.mjs";
import { steps } from "./steps.mjs";

const ways = (window, code) => [[looking, choosing, losing, beginning].flatMap((part) => part(window, code))];

export const run = (code, folder) => steps(code, folder, "screen", "tests/test_prices.py", ways);
