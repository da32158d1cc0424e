// Starts `openptx lsp` for PTX files, and `openptx debug --dap` to debug them. All that is known of PTX is in these.
const { DebugAdapterExecutable, debug, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = (context) => {
  const adapter = {
    createDebugAdapterDescriptor: () => {
      const [command, ...args] = workspace.getConfiguration("openptx").get("debugCommand");
      return new DebugAdapterExecutable(command, args);
    },
  };
  context.subscriptions.push(debug.registerDebugAdapterDescriptorFactory("openptx", adapter));
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
