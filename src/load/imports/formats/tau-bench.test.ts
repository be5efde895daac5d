import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';

const traj = [
  { role: 'user', content: 'Cancel it' },
  { role: 'assistant', content: 'Done' },
];

describe('results of tau-bench', () => {
  const results = [
    { task_id: 0, reward: 1, trial: 0, info: {}, traj },
    { task_id: 1, reward: 0, trial: 0, info: {}, traj },
    { task_id: 0, reward: 0.0, trial: 1, info: { error: 'rate limited' }, traj: [] },
    { task_id: 1, trial: 1, info: {}, traj },
  ];

  it.each([
    ['a list', JSON.stringify(results)],
    ['a list that is laid out for people', JSON.stringify(results, null, 2)],
    ['lines', results.map((result) => JSON.stringify(result)).join('\n')],
  ])('are read from %s', async (_name, text) => {
    const { format, trials, problems } = await readImport(text);
    expect({ format, problems }).toEqual({ format: 'tau-bench', problems: [] });
    expect(trials.map(({ scenario, repeat, verdict }) => [scenario, repeat, verdict?.state])).toEqual([
      ['0', 1, 'pass'],
      ['1', 1, 'fail'],
      ['0', 2, 'error'],
      ['1', 2, undefined],
    ]);
    expect(trials[0]).toMatchObject({ caseId: 'task', metrics: { reward: 1 } });
    expect(eventsIn(trials[0])).toHaveLength(3);
  });

  it('of the second kind have their agent beside them', async () => {
    const document = {
      timestamp: '2026-01-01',
      info: { agent_info: { implementation: 'llm_agent', llm: 'm-2' } },
      tasks: [{ id: 'a' }],
      simulations: [
        {
          task_id: 'a',
          trial: 0,
          reward_info: { reward: 1 },
          duration: 2.5,
          agent_cost: 0.1,
          start_time: '2026-01-01T00:00:00Z',
          termination_reason: 'user_stop',
          messages: [
            { role: 'assistant', content: null, tool_calls: [{ id: 'x', name: 'get', arguments: { id: 1 } }] },
            { role: 'tool', id: 'x', content: 'ok', error: false },
          ],
        },
      ],
    };
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      const { format, trials, problems } = await readImport(text, { name: 'results.json' });
      expect({ format, problems }).toEqual({ format: 'tau-bench', problems: [] });
      expect(trials).toHaveLength(1);
      expect(trials[0]).toMatchObject({
        scenario: 'a',
        variant: { agent: 'llm_agent', model: 'm-2' },
        verdict: { state: 'pass', reason: 'reward 1; ended by user_stop' },
        durationMs: 2_500,
        costUsd: 0.1,
      });
      expect(eventsIn(trials[0]).slice(0, 2)).toEqual([
        { type: 'tool-call', callId: 'x', tool: 'get', input: { id: 1 } },
        { type: 'tool-result', callId: 'x', durationMs: 0, result: 'ok' },
      ]);
    }
  });

  it.each([
    ['without its reward', { reward_info: {} }],
    ['without its evaluation', {}],
    ['with a list in the place of its evaluation', { reward_info: [{ reward: 0 }] }],
  ])('are not judged for a simulation %s', async (_name, evaluation) => {
    const simulations = [{ id: 's', task_id: 'a', trial: 0, messages: traj, ...evaluation }];
    const { trials } = await readImport(JSON.stringify({ simulations }), { name: 'r.json' });
    expect(trials.map(({ verdict }) => verdict?.state)).toEqual(['error']);
  });

  it('of which some are none are reported, and the others read', async () => {
    const read = await readImport(JSON.stringify([results[0], { reward: 1 }, 5, { task_id: 9, reward: 1 }], null, 1));
    expect(read.trials.map(({ scenario }) => scenario)).toEqual(['0', '9']);
    expect(reported(read)).toEqual([
      expect.stringMatching(/^\d+: not a result/),
      expect.stringMatching(/^\d+: not a result/),
      expect.stringMatching(/^warning \d+: task 9 has no messages/),
    ]);
  });

  it('are not assumed of any task that passed, which other programs report as well', async () => {
    const message = { role: 'user', content: 'Hi' };
    const { format, trials } = await readImport(
      `${JSON.stringify({ task_id: 1, passed: true, messages: [message] })}\n`,
    );
    expect({ format, state: trials[0]?.verdict?.state }).toEqual({ format: 'openai-chat', state: 'pass' });
  });

  it('count the tokens of the agent, and not those of the simulated user, nor its tools', async () => {
    const usage = (prompt_tokens: number, completion_tokens: number) => ({
      usage: { prompt_tokens, completion_tokens },
    });
    const simulation = {
      ...{ id: 's', task_id: 't', trial: 0, reward_info: null, agent_cost: 0.5, user_cost: 0.25 },
      messages: [
        { role: 'assistant', content: 'Hello', ...usage(10, 1) },
        { role: 'user', content: 'Hi', cost: 0.25, ...usage(500, 50) },
        { role: 'user', content: null, tool_calls: [{ id: 'u', name: 'toggle', arguments: {}, requestor: 'user' }] },
        { role: 'tool', id: 'u', content: 'on', requestor: 'user' },
        { role: 'assistant', content: 'Done', ...usage(20, 2) },
      ],
    };
    const { trials, problems } = await readImport(JSON.stringify({ simulations: [simulation] }), { name: 'r.json' });
    expect(problems).toEqual([]);
    const events = eventsIn(trials[0]) as { type: string; inputTokens?: number }[];
    expect(events.filter(({ type }) => type === 'usage').map(({ inputTokens }) => inputTokens)).toEqual([10, 20]);
    expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([]);
    expect(trials[0]).toMatchObject({ costUsd: 0.5, verdict: undefined });
  });
});
