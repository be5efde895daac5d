import type { Distortion, Lie, Source, World } from './lie.ts';

const sum = { type: 'file_contains', path: 'sum.txt', substring: '3' };
const clean = { type: 'no_transcript_errors' };
const written = { type: 'file_exists', path: 'given.txt' };

const line = (value: unknown) => `echo '${JSON.stringify(value)}'`;
const done = (usage: object) =>
  line({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'Done.', ...usage });
const usage = { usage: { input_tokens: 10, output_tokens: 5 }, total_cost_usd: 0.25 };
const works = 'adder 1 2 > sum.txt';
const cost = { metric: 'costUsd', honest: 0.25 };

type Story = readonly [
  Source,
  Distortion,
  detail: string,
  script: string,
  gates: readonly object[],
  more?: Partial<Lie>,
];

const stories: readonly Story[] = [
  ['file state', 'removed', 'the file is not written', `adder 1 2; ${done(usage)}`, [sum]],
  ['file state', 'removed', 'the file is removed again', `${works}; rm sum.txt; ${done(usage)}`, [sum]],
  ['file state', 'removed', 'a folder takes its place', `mkdir sum.txt; ${done(usage)}`, [sum]],
  ['file state', 'corrupted', 'other content', `echo none > sum.txt; ${done(usage)}`, [sum]],
  ['file state', 'corrupted', 'a link to nowhere', `ln -s /nowhere/at/all sum.txt; ${done(usage)}`, [sum]],
  ['file state', 'delayed', 'written after the agent ended', `(sleep 20; ${works}) & ${done(usage)}`, [sum]],
  ['file state', 'removed', 'nothing was done, and the gate holds on the template', done(usage), [written]],
  ['file state', 'removed', 'nothing was done, and no error was seen', done(usage), [written, clean]],
  ['exit code', 'removed', 'the agent is killed', `${works}; kill -9 $$`, [sum]],
  ['exit code', 'corrupted', 'the agent crashes', `${works}; kill -SEGV $$`, [sum]],
  [
    'exit code',
    'corrupted',
    'exit code 0 after its model failed',
    `${works}; ${line({ type: 'result', subtype: 'success', is_error: true, result: 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}' })}`,
    [sum],
  ],
  [
    'cost',
    'removed',
    'not reported',
    `${works}; ${done({ usage: usage.usage })}`,
    [sum],
    { figure: cost, mayPass: true },
  ],
  [
    'cost',
    'corrupted',
    'a word',
    `${works}; ${done({ ...usage, total_cost_usd: 'little' })}`,
    [sum],
    { figure: cost, mayPass: true },
  ],
  [
    'cost',
    'corrupted',
    'a negative number',
    `${works}; ${done({ ...usage, total_cost_usd: -0.25 })}`,
    [sum],
    { figure: cost, mayPass: true },
  ],
  [
    'cost',
    'doubled',
    'the result twice',
    `${works}; ${done(usage)}; ${done(usage)}`,
    [sum],
    { figure: cost, mayPass: true },
  ],
  ['token usage', 'removed', 'no result line', works, [sum], { figure: cost, mayPass: true }],
];

/** A coding agent whose work is judged by gates. */
export function agentWorld(): World {
  const scenario = (index: number, gates: readonly object[]) => (name: string) => ({
    name,
    description: 'Add two numbers',
    template_folder: 'template',
    target: { binary: 'adder', command_pattern: 'adder\\s+(\\S+)' },
    task: { prompt: `story ${index}` },
    evaluation: { gates },
    run: { timeout_secs: 10 },
  });
  const branches = stories.map(([, , , script], index) => `  "story ${index + 1}") ${script} ;;`);
  return {
    kind: 'agent task',
    files: {
      'agent.sh': `#!/bin/sh\ncase "$ASSAY_PROMPT" in\n${branches.join('\n')}\n  *) ${works}; ${done(usage)} ;;\nesac\n`,
      'bin/adder': '#!/bin/sh\necho $(($1 + $2))\n',
      'template/given.txt': 'It was here before.\n',
      'assay.config.yaml': 'agent: liar\nagents: { liar: { command: ./agent.sh, format: claude } }\n',
    },
    honest: scenario(0, [sum, clean]),
    lies: stories.map(([source, distortion, detail, , gates, more = {}], index) => ({
      source,
      distortion,
      detail,
      scenario: scenario(index + 1, gates),
      ...more,
    })),
  };
}
