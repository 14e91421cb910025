// Inside the extension host of the real VS Code: the installed extension, its own server, the real sandbox.

const { suite } = require("./suite.js");

const PARTS = ["solving", "reviewing", "explorer", "lifecycle"];

exports.run = suite("host", PARTS.flatMap((part) => require(`./${part}.js`).checks));
