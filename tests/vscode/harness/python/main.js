// Stands where the Python extension stands, and says what a user selected there.

const vscode = require("vscode");

const changes = new vscode.EventEmitter();
let selected = "python";
/** What was chosen for one folder alone. */
const own = new Map();

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: (folder) => ({ path: own.get(folder?.fsPath) ?? selected }),
    onDidChangeActiveEnvironmentPath: changes.event,
  },
  select: (path, folder) => {
    if (folder) {
      own.set(folder, path);
    } else {
      selected = path;
    }
    changes.fire();
  },
});
