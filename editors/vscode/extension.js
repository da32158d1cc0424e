// Starts `openptx lsp` for PTX files. All that it knows of PTX is in the server.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("openptx");
  const [command, ...args] = settings.get("command");
  const target = settings.get("target");
  if (target) {
    args.push("--target", target);
  }
  client = new LanguageClient("openptx", "OpenPTX", { command, args }, { documentSelector: [{ language: "ptx" }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
