import { describe, expect, it } from 'vitest';
import { workflowSchema } from '../../../../domain/mcp/suites.ts';
import type { Trace } from '../../../../domain/trace.ts';
import { agentWorkflowConfigSchema } from '../mcp-agent-workflow-target.ts';
import { workflowTask, workflowTurn } from './agent-workflow-target.ts';

const context = { directory: '/project', env: { CITY: 'Oslo' } };
const config = agentWorkflowConfigSchema().parse({
  server: { command: 'node', args: ['server.mjs', '${CITY}'], env: { KEY: '${CITY}-key' } },
  subsets: { few: ['forecast'] },
  wordings: { original: {}, short: { forecast: { name: 'sky' } } },
});

function taskOf(workflow: object, description?: string, surface?: string) {
  return workflowTask(workflowSchema.parse({ name: 'w', ...workflow }), config, { description, surface }, context);
}

describe('a workflow as the task of an agent', () => {
  it('is the one step, or all of them in order', () => {
    const one = { steps: [{ user: 'Ask.' }] };
    const two = { steps: [{ user: 'Ask.' }, { user: 'Answer.' }], system: 'Be brief.' };
    expect(taskOf(one).prompt).toBe('Ask.');
    expect(taskOf(two).prompt).toBe('Be brief.\n\nDo these steps one after the other:\n1. Ask.\n2. Answer.');
  });

  it('has the server under test as the file means it, and no CLI tool', () => {
    const task = taskOf({ steps: [{ user: 'Ask.' }] });
    expect(task).toMatchObject({ tool: undefined, judgesServers: true });
    expect(Object.values(task.mcpServers)).toEqual([
      {
        definition: {
          transport: 'stdio',
          command: 'node',
          args: ['server.mjs', 'Oslo'],
          env: { KEY: 'Oslo-key' },
          cwd: '/project',
        },
        wording: null,
        surface: null,
      },
    ]);
  });

  it('has the wording of its variant', () => {
    const wordingOf = (description: string) =>
      Object.values(taskOf({ steps: [{ user: 'x' }] }, description).mcpServers)[0]?.wording;
    expect(wordingOf('short')).toEqual({ forecast: { name: 'sky' } });
    expect(wordingOf('original')).toBeNull();
    expect(() => wordingOf('shrt')).toThrow('There is no wording "shrt"');
  });
});

describe('a workflow whose tools are offered in another way', () => {
  it('has the surface of its variant', () => {
    const surfaceOf = (surface: string) =>
      Object.values(taskOf({ steps: [{ user: 'x' }] }, undefined, surface).mcpServers)[0]?.surface;
    expect(surfaceOf('search')).toEqual({ kind: 'search' });
    expect(surfaceOf('few')).toEqual({ kind: 'subset', name: 'few', tools: ['forecast'] });
    expect(surfaceOf('all')).toBeNull();
    expect(() => surfaceOf('serach')).toThrow('There is no surface "serach"');
  });
});

describe('the answer of an agent to a workflow', () => {
  it('holds its messages and the calls that the server received, not the calls that it reports', () => {
    const trace: Trace = [
      {
        type: 'agent-started',
        at: 10,
        seenBy: 'engine',
        agent: 'a',
        version: null,
        model: null,
        isolation: 'none',
        isScripted: false,
      },
      { type: 'tool-call', at: 20, seenBy: 'agent', callId: 'x', tool: 'mcp__server__sky', input: {} },
      { type: 'tool-call', at: 21, seenBy: 'recorder', callId: 'server-1', tool: 'forecast', input: { city: 'Oslo' } },
      { type: 'tool-result', at: 22, seenBy: 'recorder', callId: 'server-1', durationMs: 1, result: { content: [] } },
      { type: 'usage', at: 23, seenBy: 'agent', inputTokens: 5, outputTokens: 2, costUsd: 0.5 },
      { type: 'message', at: 24, seenBy: 'agent', role: 'assistant', text: 'Sunny.' },
      {
        type: 'agent-ended',
        at: 40,
        seenBy: 'engine',
        exitCode: 0,
        signal: null,
        timedOut: false,
        completed: true,
        reason: null,
      },
    ];
    const called = { name: 'forecast', arguments: '{"city":"Oslo"}' };
    expect(workflowTurn(trace)).toEqual({
      type: 'turn',
      number: 1,
      latencyMs: 30,
      usage: { inputTokens: 5, outputTokens: 2 },
      costUsd: 0.5,
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'server-1', type: 'function', function: called }] },
        { role: 'tool', tool_call_id: 'server-1', content: '{"content":[]}' },
        { role: 'assistant', content: 'Sunny.' },
      ],
    });
  });
});
