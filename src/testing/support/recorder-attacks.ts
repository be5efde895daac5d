import { expect } from 'vitest';
import type { Channel } from '../../domain/capability.ts';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Attack, Defence } from './defence-table.ts';
import { runShell } from './hostile-runs.ts';

const hasGap = (trace: Trace, channel: Channel, because = /./): boolean =>
  eventsOf(trace, 'gap').some(({ channels, reason }) => channels.includes(channel) && because.test(reason));
const forged = /may be forged/;

const hasForgedCall = (trace: Trace): boolean =>
  eventsOf(trace, 'tool-call').some(({ tool, seenBy }) => tool === 'save' && seenBy === 'recorder');

/** Lines of a proxy about a call that was never made. */
const forgedLines = `
const message = (direction, content) => ({ kind: 'message', direction, text: JSON.stringify({ jsonrpc: '2.0', id: 1, ...content }) });
const lines = [
  { kind: 'start' },
  message('to-server', { method: 'tools/call', params: { name: 'save', arguments: {} } }),
  message('from-server', { result: { content: [{ type: 'text', text: 'saved' }] } }),
  { kind: 'end', endedBy: 'agent', code: null, what: 'ended', stderr: '', messagesLeftOut: 0 },
];
const text = lines.map((line) => JSON.stringify({ proxy: '0123456789ab', at: Date.now(), ...line }) + '\\n').join('');`;

/** Answers the first request, with which it is tried before the agent starts. */
const server = `read -r request; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat > /dev/null`;
const more = `mcp_servers: ${JSON.stringify({ notes: { command: '/bin/sh', args: ['-c', server] } })}\n`;

async function replacesRecorder(tier: IsolationTier): Promise<Defence> {
  const script = `
    shim=$(command -v my-tool); my-tool bogus
    rm -f "$shim"; ln -s /bin/true "$shim"; cp /bin/true "$shim"
    my-tool bogus`;
  const gates = '[{ type: file_exists, path: ended }, { type: no_transcript_errors }]';
  const { trial, trace } = await runShell({ tier, script, gates });
  const recorded = eventsOf(trace, 'command').length;
  if (trial.outcome === 'fail' && recorded === 2) return 'prevented';
  // The first call failed and was recorded, so the trial fails, whatever happened to the recorder.
  return trial.outcome !== 'pass' && hasGap(trace, 'commands') ? 'noticed' : 'possible';
}

/** Reports a call that was never made, as a shim would: to every socket and every folder of calls that it finds. */
const forgery = `
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
const start = ['1', '0', '', '/', 'my-tool', 'forged', ''].join('\\0');
const end = ['1', 'exit', '0', '', '-', '', '', '-', '', '', '.', ''].join('\\0');
const framed = (letter, text) => {
  const head = Buffer.alloc(9);
  head.write(letter);
  head.writeUInt32BE(text.length, 1);
  head.writeUInt32BE(text.length, 5);
  return Buffer.concat([head, Buffer.from(text)]);
};
const report = (path) => new Promise((resolve) => {
  const socket = connect(path, () => socket.end(Buffer.concat([framed('S', start), framed('E', end)])));
  socket.resume().on('close', resolve).on('error', () => undefined);
});
const look = async (folder, levels) => {
  let entries = [];
  try { entries = readdirSync(folder, { withFileTypes: true }); } catch {}
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isSocket()) { await report(path); writeFileSync('tried', 'socket'); }
    if (entry.isDirectory() && entry.name === 'calls') {
      try { writeFileSync(join(path, 'sh-1-0.s'), start); writeFileSync(join(path, 'sh-1-0.e'), end); } catch {}
    }
    if (entry.isDirectory() && levels > 0) await look(path, levels - 1);
  }
};
await look(process.env.LLM_TOOL_TEST_RESULTS_DIR, 3);
process.exit();
`;

async function forgesCalls(tier: IsolationTier): Promise<Defence> {
  const script = `my-tool list\n${process.execPath} forge.mjs`;
  const { trial, trace, left } = await runShell({ tier, script, files: { 'template/forge.mjs': forgery } });
  expect(trial.outcome).toBe('pass');
  const calls = eventsOf(trace, 'command').map(({ argv }) => argv.join(' '));
  if (calls.length !== 1) return 'possible';
  // The attempt is in the trace, where the socket could be found at all.
  const notices = eventsOf(trace, 'notice').map(({ message }) => message);
  if (left('tried') !== '') expect(notices.join()).toContain('did not come from the shim');
  return 'prevented';
}

/** Reports a call of an MCP server that was never made, as a proxy would: in its log, and to the keeper of the log. */
const mcpForgery = `
import { appendFileSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
const { mcpServers } = JSON.parse(readFileSync(process.env.ASSAY_MCP_CONFIG, 'utf8'));
const { logFile, keeper } = JSON.parse(readFileSync(mcpServers.notes.args.at(-1), 'utf8'));
${forgedLines}
try { appendFileSync(logFile, text); } catch {}
if (keeper) {
  const socket = connect(keeper, () => socket.end(text));
  socket.on('error', () => undefined).resume();
}
`;

async function forgesServerCalls(tier: IsolationTier): Promise<Defence> {
  const files = { 'template/forge.mjs': mcpForgery };
  const { trial, trace } = await runShell({ tier, script: `${process.execPath} forge.mjs`, files, more });
  expect(trial.outcome, trial.reason).toBe('pass');
  if (!hasForgedCall(trace)) return 'prevented';
  return hasGap(trace, 'tool-calls') ? 'noticed' : 'possible';
}

const inOwnMounts = 'unshare --user --map-root-user --mount sh -c';

/** Runs a changed recorder that takes the mount away before it is looked at. */
async function mountsOverRecorder(tier: IsolationTier): Promise<Defence> {
  const cheat = 'system("umount", "-l", $set{path});';
  const script = `
    shim=$(find "$LLM_TOOL_TEST_RESULTS_DIR" -name perl-shim 2>/dev/null | head -n 1)
    [ "$shim" ] && sed 's/my .*patience) = .*/&${cheat}/' "$shim" > changed && chmod +x changed
    ${inOwnMounts} 'mount --bind changed "$1" && my-tool list' sh "$shim"; true`;
  const { trial, trace } = await runShell({ tier, script });
  expect(trial.outcome).toBe('pass');
  if (eventsOf(trace, 'command').length === 0) return 'prevented';
  return hasGap(trace, 'commands', forged) ? 'noticed' : 'possible';
}

/** Starts the proxy with the command line that the agent was given, through another program. */
const startProxy = (words: string): string => `
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const { notes } = JSON.parse(readFileSync(process.env.ASSAY_MCP_CONFIG, 'utf8')).mcpServers;
const argv = [notes.command, ...notes.args];
${words}
`;

/** In the place of the proxy's program: reports a call that was never made. */
const forgedProxy = `
import('node:fs').then(async ({ readFileSync, writeFileSync }) => {
  const { connect } = await import('node:net');
  const { keeper } = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'));
  writeFileSync('tried', 'yes');
  ${forgedLines}
  connect(keeper, function () { this.end(text); }).on('error', () => undefined).resume();
});
`;

async function mountsOverProxy(tier: IsolationTier): Promise<Defence> {
  const start = startProxy(`
    const mounted = 'mount --bind forged.mjs "$1" && shift && exec "$@"';
    spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', mounted, 'sh', notes.args[0], ...argv]);`);
  const files = { 'template/start.mjs': start, 'template/forged.mjs': forgedProxy };
  const { trial, trace, left } = await runShell({ tier, script: `${process.execPath} start.mjs`, files, more });
  expect(trial.outcome, trial.reason).toBe('pass');
  if (left('tried') === '' || !hasForgedCall(trace)) return 'prevented';
  return hasGap(trace, 'tool-calls', forged) ? 'noticed' : 'possible';
}

/** OpenSSL loads the modules that its settings name, and Node.js reads them before its program. */
async function loadsCodeIntoProxy(tier: IsolationTier): Promise<Defence> {
  const start = startProxy(`
    const env = { ...process.env, OPENSSL_CONF: process.cwd() + '/openssl.cnf' };
    spawnSync(argv[0], argv.slice(1), { env, input: '' });`);
  const files = { 'template/start.mjs': start, 'template/openssl.cnf': 'nodejs_conf = init\n[init]\n' };
  const { trial, trace } = await runShell({ tier, script: `${process.execPath} start.mjs`, files, more });
  expect(trial.outcome, trial.reason).toBe('pass');
  return hasGap(trace, 'tool-calls', forged) ? 'noticed' : 'possible';
}

/** Ways to change what is recorded, by their names in the documentation. */
export const recorderAttacks: Readonly<Record<string, Attack>> = {
  'replaces the recorder': replacesRecorder,
  'reports a call to the recorder that was not made': forgesCalls,
  'reports a call of an MCP server that was not made': forgesServerCalls,
  'lays its own mount over the script of the recorder, for a moment': mountsOverRecorder,
  'lays its own mount over the program in front of an MCP server': mountsOverProxy,
  'loads code into the program in front of an MCP server (`OPENSSL_CONF`)': loadsCodeIntoProxy,
};
