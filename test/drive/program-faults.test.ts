import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';

async function broken(faults: readonly string[], steps: readonly string[], more = '') {
  const section = `faults:\n${faults.map((fault) => `  - { ${fault} }\n`).join('')}${more}`;
  const scenario = toolScenario('[]', section);
  const folder = await toolProject({ scenario, script: `steps: ${JSON.stringify(steps)}\n` });
  const run = await runTool(folder);
  const trial = onlyTrial(run);
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  const { trace } = JSON.parse(shown.stdout) as { trace: Trace };
  const commands = eventsOf(trace, 'command').map(({ argv, exitCode, stdout, stderr, answeredBy }) => [
    argv.slice(1).join(' '),
    exitCode,
    `${stdout?.text}${stderr?.text}`,
    answeredBy,
  ]);
  return { trial, trace, commands };
}

/** The tool has two items when the faults of `list` begin. */
const made = ['my-tool create --title tea', 'my-tool create --title jam'];
const items = '[{"title":"tea"},{"title":"jam"}]\n';

describe('faults of programs', () => {
  it('fail before or after the tool ran, by arguments and number, and say which', async () => {
    const { trial, trace, commands } = await broken(
      [
        'fault: error, tool: my-tool, args: [create], call: 1, exitCode: 75, message: The store is locked',
        'fault: error, tool: my-tool, args: [create, --title, jam], untilRetry: 1, toolRuns: true',
        'fault: rate-limit, args: [search], firstCalls: 2, retryAfterSecs: 3',
      ],
      [
        'my-tool create --title tea || my-tool create --title tea',
        'my-tool create --title jam || my-tool create --title jam',
        'my-tool search tea || my-tool search tea || my-tool search tea',
        'my-tool list',
      ],
      'evaluators: [{ type: recovered }, { type: retried-sensibly, config: { most: 2 } }]\n',
    );
    expect.soft(commands).toEqual([
      ['create --title tea', 75, 'The store is locked\n', 'fault'],
      ['create --title tea', 0, 'created\n', undefined],
      ['create --title jam', 1, 'Internal error\n', 'fault'],
      ['create --title jam', 0, 'created\n', undefined],
      ['search tea', 1, 'Rate limit exceeded. Retry after 3 s.\n', 'fault'],
      ['search tea', 1, 'Rate limit exceeded. Retry after 3 s.\n', 'fault'],
      ['search tea', 0, 'tea\n', undefined],
      // The call that failed after the tool ran has left its item.
      ['list', 0, '[{"title":"tea"},{"title":"jam"},{"title":"jam"}]\n', undefined],
    ]);
    const actions = eventsOf(trace, 'tool-control');
    expect
      .soft(actions.map(({ what }) => what))
      .toEqual([
        'failed on purpose before the tool ran',
        'failed on purpose after the tool ran',
        'was rate-limited on purpose before the tool ran',
        'was rate-limited on purpose before the tool ran',
      ]);
    expect.soft(actions[0]).toMatchObject({
      border: 'cli',
      kind: 'fault',
      fault: 'error',
      message: 'The store is locked',
      rule: 'scenario.yaml:12:5',
    });
    expect.soft(trial).toMatchObject({ outcome: 'pass', control: { fault: 4 }, interaction: { error_count: 0 } });
  });

  it('change the output of the tool, and make it stale', async () => {
    const { commands } = await broken(
      [
        'fault: empty, args: [list], call: 1',
        'fault: truncated, args: [list], call: 2',
        'fault: huge, args: [list], call: 3, bytes: 200',
        'fault: malformed, args: [list], call: 4',
        'fault: schema-breaking, args: [list], call: 5',
        'fault: stale, args: [search], call: 2',
        'fault: latency, args: [search], ms: { p50: 1, p99: 3 }',
      ],
      [
        ...made,
        'for n in 1 2 3 4 5; do my-tool list; done',
        'my-tool search e; my-tool create --title beer; my-tool search e; my-tool search e',
      ],
    );
    const outputs = commands.filter(([argv]) => argv === 'list').map(([, , output]) => String(output));
    expect.soft(outputs.slice(0, 2)).toEqual(['', items.slice(0, 17)]);
    expect.soft(outputs[2]).toMatch(/^\[\{"title":"tea"\},\{"title":"jam"\}\]\n\n\.+\n/);
    expect.soft(Buffer.byteLength(outputs[2] ?? '')).toBe(200);
    expect.soft(outputs[3]).toBe(`${items.slice(0, 17)}��"}]�{${items.slice(17)}`);
    expect.soft(outputs[4]).toBe('[{"title":3},{"title":3}]\n');
    const found = commands.filter(([argv]) => argv === 'search e').map(([, , output, by]) => [output, by]);
    expect.soft(found).toEqual([
      ['tea\n', undefined],
      ['tea\n', 'fault'],
      ['tea\nbeer\n', undefined],
    ]);
  });

  it.each(['timeout', 'latency, ms: 600000'])(
    'leave a call without an answer, and an agent that asks for help has not recovered: %s',
    async (fault) => {
      const { trial, commands } = await broken(
        [`fault: ${fault}, args: [list], call: 1`],
        ['timeout 1 my-tool list || my-tool --help'],
        'evaluators: [{ type: recovered }]\n',
      );
      expect.soft(commands.map(([argv, , , by]) => [argv, by])).toEqual([
        ['list', 'fault'],
        ['--help', undefined],
      ]);
      expect.soft(trial).toMatchObject({
        outcome: 'fail',
        interaction: { error_count: 0 },
        reason: expect.stringContaining('Did not recover from 1 of 1 broken call: my-tool list'),
      });
    },
  );

  it.each([
    ['fault: error, tool: my-tol', '12:27', 'there is no tool `my-tol`', 'Did you mean `my-tool`?'],
    ['fault: error, probability: 1.5', '12:34', 'probability', ''],
    ['fault: error, call: 1, firstCalls: 2', '12:42', '`call` and `firstCalls` cannot be used together', ''],
    ['fault: dropped', '12:14', 'there is no `dropped` of programs', ''],
    ['fault: empty, toolRuns: false', '12:31', 'the tool always runs before `empty`', ''],
    ['fault: error, args: { a: 1 }', '12:27', 'must be a list of first arguments', ''],
    ['fault: error, border: mcp', '12:29', 'this scenario has no calls at the border `mcp`', ''],
  ])('that cannot be meant are refused, and nothing runs: %s', async (fault, at, message, hint) => {
    const scenario = toolScenario('[]', `faults:\n  - { ${fault} }\n`);
    const folder = await toolProject({ scenario, script: 'steps: ["my-tool list"]\n' });
    const { exitCode, stderr, trials } = await runTool(folder);
    expect([exitCode, trials]).toEqual([2, []]);
    expect(stderr).toContain(`scenario.yaml:${at}`);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});
