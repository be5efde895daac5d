import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  onlyTrial,
  runTool,
  type ToolRun,
  type ToolTrial,
  toolProject,
} from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const tool = `#!/bin/sh
store=.my-tool/store.db
case "$1" in
  --version) echo 1.0 ;;
  create) mkdir -p .my-tool && echo "$2" >> "$store" && echo "created $2 as $$" ;;
  list) cat "$store" 2>/dev/null ;;
  import) count=0; while read -r line; do count=$((count + 1)); echo "$line" >> "$store"; done; echo "$count from $$" ;;
  first) read -r line; echo "first: $line, $$" ;;
  talk) echo out; echo err >&2; echo again; exit 3 ;;
  bytes) printf '\\377\\000x' ;;
  die) echo dying; kill -TERM $$ ;;
  build)
    rm README.md; mkdir -p out/empty; printf '\\001\\377' > out/data; printf 'run\\n' > out/run.sh
    chmod 750 out/run.sh; ln -s run.sh out/latest; echo "built in $PWD with $TOKEN" | tee out/log ;;
  both) my-tool create nested; my-tool list ;;
  huge) head -c 2000000 /dev/zero ;;
  where) echo "$PWD" ;;
  count) wc -l; echo "$$" ;;
  serve) echo serving; exec sleep 1000 ;;
  send) echo letter > "$TMPDIR/gate"; echo "$$" > sent ;;
  receive) read -r line < "$TMPDIR/gate"; echo "$line $$" > received ;;
  login) mkdir -p "$HOME/.my-tool" && echo "$$" > "$HOME/.my-tool/session"; echo "$$" > "$TMPDIR/my-tool.lock" ;;
  print) cat "$2"; echo "$$" ;;
  *) echo "my-tool: unknown command $1" >&2; exit 2 ;;
esac
`;

const steps = [
  'my-tool create tea; my-tool list',
  "printf 'milk\\nbread\\n' | my-tool import; my-tool list",
  "printf 'a\\nb\\n' > lines; my-tool import < lines; my-tool first < lines",
  "printf 'x\\ny\\n' | while read -r line; do my-tool list > last; echo $line; done; cat last",
  // A pipe that nobody writes to, and that never ends.
  'mkfifo idle; my-tool list <> idle; rm idle',
  'my-tool talk 2>errors | cat; cat errors; my-tool talk 2>&1; echo "exit $?"',
  'my-tool bytes | od -c; (my-tool die; echo "exit $?") 2>/dev/null',
  'my-tool build; ls -lR out | cut -c1-10; cat out/log; od -c out/data; readlink out/latest; ls README.md',
  'my-tool both; my-tool list',
  'mkdir sub; cd sub && my-tool where',
  // Longer than a pipe; a socket; a program that only ends by force; a file that another process writes.
  'seq 1 30000 | my-tool count',
  `node -e "require('child_process').spawn('my-tool', ['import'], { stdio: ['pipe', 1, 2] }).stdin.end('soap')"`,
  'timeout -s KILL 1 my-tool serve; echo "exit $?"',
  'my-tool list | tee copy | wc -l; cat copy',
  // Each of the two waits for the other.
  'mkfifo "$TMPDIR/gate"; my-tool send & my-tool receive; wait; cat sent received',
  'my-tool login; cat "$HOME/.my-tool/session" "$TMPDIR/my-tool.lock"; echo one > page; my-tool print page',
];

const secret = 'k9-very-secret-0815';
const gates =
  '[{ type: command_output_contains, command: my-tool list, substring: bread }, { type: file_exists, path: out/latest }]';

function scenario(more = '', judged = gates): string {
  return `name: Items
description: Keep items
template_folder: template
target:
  binary: my-tool
  health_check: my-tool --version
  env: { TOKEN: "\${MY_API_KEY}" }
setup: { commands: ["my-tool create setup"] }
task: { prompt: Create an item. }
evaluation: { gates: ${judged} }
${more}`;
}

async function project(taken: readonly string[], more = '', isolation = 'none', judged = gates): Promise<string> {
  const config = `isolation: ${isolation}\nagent: scripted\nagents: { scripted: { script: script.yaml } }\n`;
  const folder = await toolProject({ scenario: scenario(more, judged), script: '' });
  await writeFiles(folder, { 'assay.config.yaml': config, 'bin/my-tool': tool });
  await chmod(join(folder, 'bin/my-tool'), 0o755);
  await script(folder, taken);
  return folder;
}

function script(folder: string, taken: readonly string[]): Promise<void> {
  return writeFile(join(folder, 'script.yaml'), `steps: ${JSON.stringify(taken)}\n`);
}

const run = (folder: string, ...flags: string[]) => runTool(folder, flags, { MY_API_KEY: secret });
const record = (folder: string) => run(folder, '--record-tools', 'rec');
const replay = (folder: string) => run(folder, '--replay-tools', 'rec');

async function traceOf({ folder }: ToolRun, { trialId }: ToolTrial): Promise<Trace> {
  const shown = await assay(['show', trialId, '--json'], { cwd: folder });
  return (JSON.parse(shown.stdout) as { trace: Trace }).trace;
}

/** All that the agent saw, without the folder of the trial. */
function seenIn(trace: Trace): string[] {
  const folder = eventsOf(trace, 'workspace')[0]?.workedIn ?? '';
  return eventsOf(trace, 'tool-result').map(({ result, error }) =>
    JSON.stringify([result, error]).replaceAll(folder, 'FOLDER'),
  );
}

async function tapeOf(folder: string): Promise<{ readonly path: string; readonly text: string }> {
  const [name = ''] = await readdir(join(folder, 'rec'));
  const path = join(folder, 'rec', name);
  return { path, text: await readFile(path, 'utf8') };
}

describe('recorded calls of a program', () => {
  it.for(['none', 'bubblewrap'])(
    'answer in its absence with the same output, files and verdict (%s)',
    async (isolation, { skip }) => {
      const folder = await project(steps, '', isolation);
      const live = await record(folder);
      const before = onlyTrial(live);
      skip(before.fault?.code === 'ISOLATION_UNAVAILABLE', 'bubblewrap does not work on this machine');
      expect(before).toMatchObject({ outcome: 'pass', gates_passed: 2 });
      const recorded = seenIn(await traceOf(live, before));
      // The recorded program took nothing of the input that its neighbour in the loop reads.
      expect(recorded[3]).toContain(String.raw`x\ny\n`);
      const { text } = await tapeOf(folder);
      expect(text).not.toContain(secret);
      await rm(join(folder, 'bin/my-tool'));
      const again = await replay(folder);
      const after = onlyTrial(again);
      const trace = await traceOf(again, after);
      expect(seenIn(trace)).toEqual(recorded);
      expect(after).toMatchObject({ outcome: 'pass', gates_passed: 2 });
      expect(eventsOf(trace, 'command').every(({ answeredBy }) => answeredBy === 'replay')).toBe(true);
      expect(eventsOf(trace, 'command').find(({ argv }) => argv[1] === 'die')).toMatchObject({ signal: 'SIGTERM' });
      expect(eventsOf(trace, 'tool-tape')).toMatchObject([{ masked: 1 }]);
      const said = eventsOf(trace, 'tool-control').map(({ what }) => what);
      expect(said.filter((what) => what.includes('a secret is masked'))).toHaveLength(1);
      expect(said.filter((what) => what.includes('another call ran at the same time')).length).toBeGreaterThan(0);
    },
  );

  it.each([
    ['error', { outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } }],
    ['tool-error', { outcome: 'pass' }],
    ['real', { outcome: 'pass' }],
  ])('a call that is not recorded: %s', async (miss, expected) => {
    const judged = '[{ type: file_exists, path: done }]';
    const folder = await project(
      ['echo milk | my-tool import; touch done'],
      `replay: { miss: ${miss} }\n`,
      'none',
      judged,
    );
    await record(folder);
    // The arguments are the recorded ones, and the input is not.
    await script(folder, ['echo bread | my-tool import; echo "exit $?"; cat .my-tool/store.db; touch done']);
    const again = await replay(folder);
    expect(onlyTrial(again)).toMatchObject(expected);
    const [seen = ''] = seenIn(await traceOf(again, onlyTrial(again)));
    expect(seen).toMatch(
      { error: /exit 125/, 'tool-error': /not in the recording.*exit 1/, real: /1 from.*bread/ }[miss] ?? '',
    );
  });

  it.each([
    ['strict', { outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } }, /exit 125/],
    ['order', { outcome: 'pass' }, /created a as \d+.*created b as \d+/],
  ])(
    'calls in another order are matched %s, and judged alike when they are rescored',
    async (match, expected, words) => {
      const judged = '[{ type: file_exists, path: done }]';
      const more = `replay: { match: ${match} }\n`;
      const folder = await project(['my-tool create a; my-tool create b; touch done'], more, 'none', judged);
      await record(folder);
      const same = await replay(folder);
      expect(onlyTrial(same)).toMatchObject({ outcome: 'pass' });
      await script(folder, ['my-tool create b; echo "exit $?"; my-tool create a; touch done']);
      const swapped = await replay(folder);
      expect(onlyTrial(swapped)).toMatchObject(expected);
      const [seen = ''] = seenIn(await traceOf(swapped, onlyTrial(swapped)));
      expect(seen).toMatch(words);
      const rescored = await assay(['rescore', 'latest', '--json'], { cwd: folder, env: { MY_API_KEY: secret } });
      expect(JSON.parse(rescored.stdout).trials).toMatchObject([expected]);
    },
  );

  it('are in the example, which needs neither its program nor a key', async () => {
    const folder = await temporaryFolder();
    await cp(new URL('../../examples/recorded-tools/', import.meta.url), folder, { recursive: true });
    await rm(join(folder, 'bin'), { recursive: true });
    const { stdout } = await assay(['run', 'shopping.yaml', '--json', '--replay-tools', 'recordings'], { cwd: folder });
    expect(JSON.parse(stdout).trials).toMatchObject([{ outcome: 'pass', control: { replay: 4 } }]);
  });

  it('do not make a gate hold in a state that was not reached', async () => {
    const folder = await project(['my-tool create bread']);
    const judged = gates.replace(/, \{ type: file_exists.*/, ']');
    await writeFile(join(folder, 'scenario.yaml'), scenario('replay: { match: loose }\n', judged));
    expect(onlyTrial(await record(folder))).toMatchObject({ outcome: 'pass' });
    await rm(join(folder, 'bin/my-tool'));
    await script(folder, ['true']);
    const trial = onlyTrial(await replay(folder));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.fault?.message).toMatch(
      /^A call of "my-tool" by a script or gate was recorded in another state \(calls of my-tool came before it there\)/,
    );
  });

  it('that could not be recorded say why, and are misses', async () => {
    const folder = await project(
      ['my-tool huge | wc -c', 'my-tool create tea; touch done'],
      '',
      'none',
      '[{ type: file_exists, path: done }]',
    );
    expect(onlyTrial(await record(folder))).toMatchObject({ outcome: 'pass' });
    expect((await tapeOf(folder)).text).toContain('"unrecorded":"it printed more than 1 MB"');
    const trial = onlyTrial(await replay(folder));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.fault?.message).toMatch(/it printed more than 1 MB \(rec\/.*:\d+:1\)/);
  });

  it('are not mixed with those of another version of the program', async () => {
    const judged = '[{ type: file_exists, path: done }]';
    const folder = await project(['my-tool create tea; touch done'], 'replay: { miss: real }\n', 'none', judged);
    await record(folder);
    await script(folder, ['my-tool create tea; touch done', 'my-tool talk || true']);
    expect(onlyTrial(await replay(folder))).toMatchObject({ outcome: 'pass' });
    await writeFile(join(folder, 'bin/my-tool'), `${tool}# newer\n`);
    const trial = onlyTrial(await replay(folder));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.fault?.message).toMatch(
      /^The installed "my-tool" is not the one that was recorded at rec\/.*:\d+:1\.$/,
    );
  });

  it.each([
    ['list', 'my-tool list > got', 'was recorded in another state (calls of my-tool came before it there)'],
    ['input', 'echo two > page; my-tool print page > got', 'was recorded in another state (page had another content)'],
    ['stdin', 'echo ham | my-tool import > got', 'was recorded in another state (its standard input was another one)'],
  ])('do not answer in a state that was not reached, unless loosely: %s', async (_what, taken, expected) => {
    const judged = '[{ type: file_exists, path: got }]';
    const calls = 'echo one > page; my-tool print page; echo tea | my-tool import; my-tool list';
    const folder = await project([`${calls}; touch got`], '', 'none', judged);
    expect(onlyTrial(await record(folder))).toMatchObject({ outcome: 'pass' });
    await script(folder, [taken]);
    const trial = onlyTrial(await replay(folder));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.fault?.message).toContain(expected);
    if (_what !== 'list') return;
    await writeFile(join(folder, 'scenario.yaml'), scenario('replay: { match: loose }\n', judged));
    const loose = await replay(folder);
    expect(onlyTrial(loose)).toMatchObject({ outcome: 'pass' });
    const said = eventsOf(await traceOf(loose, onlyTrial(loose)), 'tool-control').map(({ what }) => what);
    expect(said.join()).toContain('the state was another one: calls of my-tool came before it there');
  });

  it('do not answer for a tool with another environment', async () => {
    const judged = '[{ type: file_exists, path: done }]';
    const folder = await project(['my-tool create tea; touch done'], '', 'none', judged);
    await record(folder);
    await writeFile(join(folder, 'scenario.yaml'), scenario('', judged).replace('env: {', 'env: { MODE: fast,'));
    const trial = onlyTrial(await replay(folder));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(trial.fault?.message).toContain('target.env.MODE was absent, and is fast');
  });

  it('that lead out of the work directory, or were changed, are refused before anything is run', async () => {
    const folder = await project(['my-tool create tea']);
    await record(folder);
    const { path, text } = await tapeOf(folder);
    for (const [edited, problem] of [
      [text.replace('"path":".my-tool/store.db"', '"path":"../../store.db"'), /:\d+:\d+: .*inside the work directory/],
      [text.replace('created tea', 'created ham'), /:\d+:\d+: this line was changed/],
      [text.replace('"exitCode":0', '"exitCode":999'), /:\d+:\d+: /],
    ] as const) {
      expect(edited).not.toBe(text);
      await writeFile(path, edited);
      expect(await replay(folder)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(problem) });
    }
  });
});
