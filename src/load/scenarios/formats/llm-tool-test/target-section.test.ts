import { describe, expect, it } from 'vitest';
import { minimalCliTool as minimal, readCliTool as read } from '../../../../testing/support/llm-tool-test.ts';

describe('the target', () => {
  const shared = {
    binary: 'tool',
    command_pattern: 'tool (\\w+)',
    health_check: 'tool -v',
    env: { A: '${A}', B: '1' },
  };
  const withTarget = (target: string) => minimal.replace('target: { binary: tool }', target);
  const resolved = { binary: 'tool', commandPattern: 'tool (\\w+)', healthCheck: 'tool -v', env: shared.env };

  it.each([
    ['comes from the config', 'target: from_config', resolved],
    ['comes from the config when the scenario names none', 'description: x', resolved],
    ['is completed by the config', 'target: { env: { B: "2" } }', { ...resolved, env: { A: '${A}', B: '2' } }],
    [
      'is completed when it is the same',
      'target: { binary: tool, health_check: x }',
      { ...resolved, healthCheck: 'x' },
    ],
    [
      'is left alone when it is another',
      'target: { binary: other }',
      { binary: 'other', commandPattern: undefined, healthCheck: undefined, env: {} },
    ],
    ['is completed where a pattern is blank', 'target: { binary: tool, command_pattern: " " }', resolved],
  ])('%s', async (_about, target, expected) => {
    expect((await read(withTarget(target), {}, { target: shared })).config).toMatchObject(expected);
  });

  it('is replaced from the command line', async () => {
    expect((await read(minimal, {}, { targetBinary: './build/tool' })).config.binary).toBe('./build/tool');
    const { config } = await read(withTarget('target: from_config'), {}, { targetBinary: 'new', target: shared });
    expect(config).toMatchObject({ ...resolved, binary: 'new' });
  });
});

describe('limits and repeats', () => {
  it.each([
    ['300 s by themselves', '', {}, {}, 300_000, 1],
    ['the command line', '', {}, { repeat: 4, mostSecs: 20 }, 20_000, 4],
    ['the scenario that allows less', 'run: { timeout_secs: 7 }\n', {}, { mostSecs: 20 }, 7_000, 1],
    ['the command line that allows less', 'run: { timeout_secs: 70 }\n', {}, { mostSecs: 20 }, 20_000, 1],
    ['the command line for repeats', 'repeat: 2\n', {}, { repeat: 5 }, 300_000, 5],
  ])('come from %s', async (_about, text, cliTools, defaults, timeoutMs, repeat) => {
    const { scenario } = await read(minimal + text, {}, cliTools, defaults);
    expect({ timeoutMs: scenario.timeoutMs, repeat: scenario.repeat }).toEqual({ timeoutMs, repeat });
  });
});
