import { spawn } from 'node:child_process';

/**
 * A client for the official suite: logs in to the server at the last argument with `assay mcp-login`, as a user whose
 * browser agrees at once, and uses it with `assay mcp-check`. The first argument is the program, the second a folder.
 */
const [, , program, cwd, url = ''] = process.argv;

function assay(args, onStderr = () => undefined) {
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
    onStderr(printed);
  });
  return new Promise((resolve) => {
    child.on('close', resolve);
  });
}

let isVisited = false;
await assay(['mcp-login', '--no-browser', '--timeout-secs', '60', url], (printed) => {
  const [page] = /http\S+\?\S*client_id\S+(?=\s)/.exec(printed) ?? [];
  if (page === undefined || isVisited) return;
  isVisited = true;
  fetch(page).catch(() => undefined);
});
process.exitCode = await assay(['mcp-check', '--calls', '1', '--call-all', '--fail-on', 'never', url]);
