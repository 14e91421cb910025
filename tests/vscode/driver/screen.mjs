// The demo project on the screen, by keyboard and mouse, in one window.

import { checks as choosing } from "./choosing.mjs";
import { checks as looking } from "./looking.mjs";
import { steps } from "./steps.mjs";

const checks = (window, code) => [...looking(window, code), ...choosing(window, code)];

export const run = (code, folder) => steps(code, folder, "screen", "tests/test_prices.py", checks);
