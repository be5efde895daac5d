import { describe, expect, it } from 'vitest';
import type { AgentExit } from './agent.ts';
import { concludeAgent } from './conclude.ts';

const ended = (exitCode: number): AgentExit => ({ exitCode, signal: null, timedOut: false });
const killed = (signal: string): AgentExit => ({ exitCode: null, signal, timedOut: false });
const late: AgentExit = { exitCode: null, signal: 'SIGKILL', timedOut: true };
const refusedKey = { message: 'API Error: 401' };

describe('how an agent ended', () => {
  it('completed with exit code 0 and no reported error', () => {
    const report = concludeAgent({ exit: ended(0), sawWork: true, turns: 3 });
    expect(report).toEqual({ exit: ended(0), completed: true, reason: null, fault: undefined, turns: 3 });
  });

  it.each([
    ['the time limit', { exit: late, sawWork: true }, 'stopped at the time limit'],
    ['the time limit without any output', { exit: late, sawWork: false }, 'stopped at the time limit'],
    ['an exit code after some work', { exit: ended(1), sawWork: true, stderrTail: 'oh' }, 'exit code 1: oh'],
    [
      'a reported error after some work',
      { exit: ended(0), sawWork: true, reportedError: { message: 'enough' } },
      'enough',
    ],
  ])('is not a fault at %s', (_what, end, reason) => {
    expect(concludeAgent(end)).toMatchObject({ completed: false, reason, fault: undefined });
  });

  it.each([
    ['a refused key', { exit: ended(0), sawWork: true, reportedError: refusedKey }, 'MODEL_UNAUTHORIZED'],
    [
      'a status without words',
      { exit: ended(1), sawWork: false, reportedError: { message: 'x', status: 503 } },
      'MODEL_UNAVAILABLE',
    ],
    [
      'vain attempts until the time limit',
      { exit: late, sawWork: false, reportedError: refusedKey },
      'MODEL_UNAUTHORIZED',
    ],
    ['vain attempts in its work', { exit: late, sawWork: true, reportedError: refusedKey }, 'MODEL_UNAUTHORIZED'],
    [
      'an outage in unknown words',
      { exit: ended(1), sawWork: true, reportedError: { message: 'hm', isProviders: true } },
      'MODEL_UNAVAILABLE',
    ],
    [
      'a refused key on stderr only',
      { exit: ended(1), sawWork: false, stderrTail: 'status 401' },
      'MODEL_UNAUTHORIZED',
    ],
    ['a signal', { exit: killed('SIGSEGV'), sawWork: true }, 'AGENT_CRASHED'],
    ['a signal behind a shell', { exit: ended(137), sawWork: true }, 'AGENT_CRASHED'],
    ['an exit code before any work', { exit: ended(2), sawWork: false, stderrTail: 'unknown option' }, 'AGENT_FAILED'],
    [
      'a reported error before any work',
      { exit: ended(0), sawWork: false, reportedError: { message: 'no' } },
      'AGENT_FAILED',
    ],
  ])('is a fault at %s', (_what, end, code) => {
    expect(concludeAgent(end)).toMatchObject({ completed: false, fault: { code } });
  });

  it('shows the end of its output', () => {
    const { fault } = concludeAgent({
      exit: ended(2),
      sawWork: false,
      stderrTail: `${'x'.repeat(900)} unknown option`,
    });
    expect(fault?.message).toMatch(
      /^The agent ended with exit code 2 before it did anything: exit code 2: … x+ unknown option$/,
    );
  });
});
