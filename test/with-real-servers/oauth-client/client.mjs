import { spawn } from 'node:child_process';

/**
 * A client for the official suite: logs in to the server at the last argument with `assay mcp login`, as a user whose
 * browser agrees at once, and uses it with `assay mcp check`. The first argument is the program, the second a folder. A
 * user who is told to log in once more does so. Of a client that is registered already, the suite names the credentials;
 * the address of a metadata document is the one that it expects.
 */
const [, , program, cwd, url = ''] = process.argv;
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const { client_id: clientId, client_secret: clientSecret, issuer } = JSON.parse(context);

function clientSettings() {
  if (scenario === 'auth/basic-cimd') return { clientId: 'https://conformance-test.local/client-metadata.json' };
  return clientId === undefined ? undefined : { clientId, clientSecretEnv: 'CLIENT_SECRET', issuer };
}

const oauth = clientSettings();
const server = oauth ? JSON.stringify({ url, oauth }) : url;

function assay(args, onPrinted = () => undefined) {
  const env = { ...process.env, ...(clientSecret && { CLIENT_SECRET: clientSecret }) };
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
      onPrinted(printed);
    });
  }
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, printed }));
  });
}

async function logIn(...options) {
  let isVisited = false;
  await assay(['mcp', 'login', '--no-browser', '--timeout-secs', '60', ...options, server], (printed) => {
    const [page] = /http\S+\?\S*client_id\S+(?=\s)/.exec(printed) ?? [];
    if (page === undefined || isVisited) return;
    isVisited = true;
    fetch(page).catch(() => undefined);
  });
}

const use = () => assay(['mcp', 'check', '--calls', '1', '--call-all', '--fail-on', 'never', server]);

await logIn();
const first = await use();
const [, scope] = /--scope (\S+?)[`\s.]/.exec(first.printed) ?? [];
const isLoginNeeded = /assay mcp login/.test(first.printed);
if (isLoginNeeded) await logIn(...(scope === undefined ? [] : ['--scope', scope]));
process.exitCode = isLoginNeeded ? (await use()).exitCode : first.exitCode;
