// Stands where the Python extension stands, and says what a user selected there.

const vscode = require("vscode");

const changes = new vscode.EventEmitter();
let selected = "python";

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: selected }),
    onDidChangeActiveEnvironmentPath: changes.event,
  },
  select: (path) => {
    selected = path;
    changes.fire();
  },
});
