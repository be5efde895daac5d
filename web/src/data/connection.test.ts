import { describe, expect, it } from 'vitest';
import { ApiFailure, serverAway } from './api.ts';
import { type ConnectionState, createConnection } from './connection.ts';

function watched(answers: (unknown | null)[]) {
  const states: ConnectionState[] = [];
  const waits: { callback: () => void; ms: number }[] = [];
  const returns: number[] = [];
  const connection = createConnection({
    ask: async () => {
      const failure = answers.shift() ?? null;
      if (failure !== null) throw failure;
    },
    onReturn: () => returns.push(1),
    wait: (callback, ms) => {
      waits.push({ callback, ms });
      return () => undefined;
    },
  });
  connection.subscribe(() => states.push(connection.state()));
  const next = async (): Promise<void> => {
    waits.shift()?.callback();
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { connection, states, waits, returns, next };
}

describe('createConnection', () => {
  it('polls until the server is back, then refetches everything', async () => {
    const { connection, states, returns, next } = watched([serverAway(), null]);
    connection.heard(serverAway());
    await next();
    expect(connection.state()).toBe('away');
    await next();
    expect(states).toEqual(['away', 'connected']);
    expect(returns).toHaveLength(1);
  });

  it('waits longer from attempt to attempt', async () => {
    const { connection, waits, next } = watched([serverAway(), serverAway(), serverAway()]);
    connection.heard(serverAway());
    const first = waits[0]?.ms ?? 0;
    await next();
    await next();
    expect(waits[0]?.ms).toBeGreaterThan(first * 2);
  });

  it('waits once however many requests fail', () => {
    const { connection, waits } = watched([]);
    for (let count = 0; count < 5; count += 1) connection.heard(serverAway());
    expect(waits).toHaveLength(1);
  });

  it('takes a refusal for an answer', () => {
    const { connection, states } = watched([]);
    connection.heard(new ApiFailure(404, { error: 'There is no such run', code: 'RUN_NOT_FOUND' }));
    expect(states).toEqual([]);
  });

  it('reports an unknown token until the server accepts it', async () => {
    const { connection, states, returns, next } = watched([null]);
    connection.heard(new ApiFailure(401, { error: 'Who are you?', code: 'UNAUTHORIZED' }));
    await next();
    expect(states).toEqual(['signed-out', 'connected']);
    expect(returns).toHaveLength(1);
  });

  it('is back with any answer', () => {
    const { connection, returns } = watched([]);
    connection.heard(serverAway());
    connection.heard(null);
    expect(connection.state()).toBe('connected');
    expect(returns).toHaveLength(1);
  });
});
