import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { assay, commandEnvironment, ended, programPath } from '../../src/testing/support/assay.ts';
import {
  onlyTrial,
  runTool,
  type ToolRun,
  toolEnvironment,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const gates = '[{ type: file_exists, path: README.md }, { type: file_exists, path: done }]';
const secret = 'sk-terminal-0123456789abcdef';

/** An agent that does not work without a terminal. */
const needsTerminal = `#!/bin/sh
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || { echo "this agent needs a terminal" >&2; exit 3; }
stty size
echo "options: $NODE_OPTIONS"
printf '\\033[31mred\\033[0m text\\033[2Cwith a gap\\n'
echo "on stderr" >&2
echo "on the terminal" > /dev/tty
printf 'key %s\\033[1m%s\\n' "$(printf %.8s "$ASSAY_API_KEY")" "$(printf %s "$ASSAY_API_KEY" | cut -c9-)"
my-tool create --title "$1"
touch done
perl -e 'print "x" x 79, "\\n" for 1 .. 1000; print "last line\\n"'
`;

async function terminalProject(agent: string, { more = '', kind = 'command' } = {}): Promise<string> {
  const folder = await toolProject({ scenario: toolScenario(gates, more), script: '' });
  await writeFiles(folder, {
    'agent.sh': agent,
    'assay.config.yaml': `agent: tui
agents:
  tui: { kind: ${kind}, command: ./agent.sh, terminal: true, apiKey: ${secret}, env: { NODE_OPTIONS: --no-such-option } }
`,
  });
  await chmod(join(folder, 'agent.sh'), 0o755);
  return folder;
}

async function artifact(run: ToolRun, name: string): Promise<string> {
  return readFile(join(run.folder, '.assay/artifacts', onlyTrial(run).artifacts ?? '', name), 'utf8');
}

async function traceOf(run: ToolRun): Promise<Trace> {
  const { stdout } = await assay(['show', onlyTrial(run).trialId, '--json'], { cwd: run.folder });
  return JSON.parse(stdout).trace;
}

describe('an agent with `terminal: true`', () => {
  it.each(['none', 'bubblewrap'])('runs in a terminal, with isolation %s', async (tier) => {
    const run = await runTool(await terminalProject(needsTerminal, { more: `isolation: ${tier}\n` }));
    expect(onlyTrial(run)).toMatchObject({ outcome: 'pass', interaction: { completed: true, total_commands: 1 } });
    const transcript = await artifact(run, 'transcript.raw.txt');
    for (const line of [
      '50 200',
      'options: --no-such-option',
      'red text  with a gap',
      'on stderr',
      'on the terminal',
      'created',
      'last line',
    ]) {
      expect(transcript.split('\n')).toContain(line);
    }
    expect(transcript.match(/^x{79}$/gm)).toHaveLength(1_000);
    expect(transcript).not.toContain('\u001B');
    const raw = await artifact(run, 'terminal.raw.txt');
    expect(raw).toContain('\u001B[31mred\u001B[0m text\u001B[2Cwith a gap\r\n');
    for (const text of [transcript, raw]) expect(text).not.toContain(secret.slice(8));
    const trace = await traceOf(run);
    expect(eventsOf(trace, 'agent-started')).toMatchObject([{ isolation: tier, terminal: { columns: 200, rows: 50 } }]);
    expect(JSON.stringify(eventsOf(trace, 'output'))).toContain('red text  with a gap\\n');
    expect(eventsOf(trace, 'command')).toMatchObject([{ argv: ['my-tool', 'create', '--title', 'Create an item.'] }]);
  });

  it.each(['none', 'bubblewrap'])(
    'is ended with everything it started at its time limit, with isolation %s',
    async (tier) => {
      const agent = `#!/bin/sh\ntouch done\nmarker=${tier}-left setsid sleep 1000 &\ntrap '' TERM HUP\nwhile :; do sleep 1; done\n`;
      const mark = `terminal-leftover-${tier}-${process.pid}`;
      const more = `isolation: ${tier}\nrun: { timeout_secs: 2 }\n`;
      const folder = await terminalProject(agent.replace(`${tier}-left`, mark), { more });
      const run = await runTool(folder);
      expect(eventsOf(await traceOf(run), 'agent-ended')).toMatchObject([{ timedOut: true, completed: false }]);
      expect(processesWith(mark)).toEqual([]);
      expect(processesWith(onlyTrial(run).trialId)).toEqual([]);
    },
  );

  it('runs in a terminal without a network', async () => {
    const agent = '#!/bin/sh\n[ -t 1 ] && touch done\ngrep -c : /proc/net/dev\n';
    const run = await runTool(await terminalProject(agent, { more: 'isolation: bubblewrap\nnetwork: none\n' }));
    expect(onlyTrial(run).outcome).toBe('pass');
    expect((await artifact(run, 'transcript.raw.txt')).trim()).toBe('1');
    expect(eventsOf(await traceOf(run), 'agent-started')).toMatchObject([{ terminal: { rows: 50 } }]);
  });

  it('says why it failed, and is not at fault where its provider is', async () => {
    const crashed = await runTool(await terminalProject('#!/bin/sh\ntouch done\nkill -SEGV $$\n'));
    expect(onlyTrial(crashed)).toMatchObject({ outcome: 'error', fault: { code: 'AGENT_CRASHED' } });
    const refused = await runTool(
      await terminalProject('#!/bin/sh\ntouch done\necho "API error 401: invalid x-api-key" >&2\nexit 1\n'),
    );
    expect(onlyTrial(refused)).toMatchObject({ outcome: 'error', fault: { message: expect.stringContaining('401') } });
    const failed = await runTool(await terminalProject('#!/bin/sh\ntouch done\necho "I give up" >&2\nexit 4\n'));
    expect(onlyTrial(failed).outcome).toBe('pass');
    const [end] = eventsOf(await traceOf(failed), 'agent-ended');
    expect(end).toMatchObject({ exitCode: 4, completed: false, reason: expect.stringContaining('I give up') });
  });

  it('gets pipes, and the trial says so, where no terminal can be opened', async () => {
    const program = await programWithoutTerminals();
    const folder = await terminalProject('#!/bin/sh\n[ -t 1 ] || echo "no terminal here"\ntouch done\n');
    const started = (args: readonly string[]) =>
      ended(
        spawn(process.execPath, [program, ...args], {
          cwd: folder,
          env: commandEnvironment({ cwd: folder, env: toolEnvironment(folder) }),
        }),
      );
    const result = await started(['run', 'scenario.yaml', '--json', '--no-cache']);
    const run = { ...result, folder, trials: JSON.parse(result.stdout).trials };
    expect(onlyTrial(run).outcome).toBe('pass');
    const trace = await traceOf(run);
    expect(eventsOf(trace, 'agent-started')).toMatchObject([{ terminal: null }]);
    const problem = 'the package @lydell/node-pty is not installed';
    const message = `The agent ran with pipes and not in a terminal: ${problem}.`;
    expect(eventsOf(trace, 'notice')).toContainEqual(expect.objectContaining({ message }));
    expect(await artifact(run, 'transcript.raw.txt')).toContain('no terminal here');
    expect((await started(['doctor'])).stdout).toContain(`none: ${problem}; agents with \`terminal: true\` get pipes`);
    expect((await started(['agents'])).stdout).toContain(`with pipes instead of a terminal: ${problem}`);
  });

  it('is refused where its kind cannot have one, or the key is not a boolean', async () => {
    const acp = await runTool(await terminalProject(needsTerminal, { kind: 'acp' }));
    expect(onlyTrial(acp)).toMatchObject({
      outcome: 'error',
      fault: { code: 'CONFIG_INVALID', message: 'An agent of the kind "acp" cannot run in a terminal.' },
    });
    const folder = await terminalProject(needsTerminal);
    await writeFiles(folder, { 'assay.config.yaml': 'agents:\n  tui: { command: ./agent.sh, terminal: maybe }\n' });
    const { exitCode, stderr } = await runTool(folder);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/assay\.config\.yaml:2:\d+.*terminal/);
    expect((await assay(['doctor'], { cwd: await temporaryFolder() })).stdout).toContain('can be opened');
  });
});

/** The built program as it is installed without its optional packages. */
async function programWithoutTerminals(): Promise<string> {
  const root = dirname(dirname(programPath));
  const folder = join(await temporaryFolder(), 'assay');
  for (const part of ['bin', 'dist/cli', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  for (const name of ['zod', 'jiti', '@photostructure/sqlite']) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return join(folder, 'bin/assay.js');
}
