import { describe, expect, it } from 'vitest';
import { isConflict, isPassing } from './passing-failures.ts';

const failure = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);
const refused = failure('connect ECONNREFUSED', { code: 'ECONNREFUSED' });

describe('failures of a database', () => {
  it.each([
    refused,
    failure('terminating connection', { code: '57P01' }),
    failure('terminating connection due to idle-in-transaction timeout', { code: '25P03' }),
    failure('could not extend file: No space left on device', { code: '53100' }),
    failure('connection failure', { code: '08006' }),
    failure('connect ENOENT /var/run/postgresql/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('outer', { cause: refused }),
    new AggregateError([refused]),
  ])('that pass: %s', (error) => {
    expect(isPassing(error)).toBe(true);
  });

  it.each([
    new Error('syntax error'),
    failure('duplicate key', { code: '23505' }),
    failure('no such file', { code: 'ENOENT', syscall: 'open' }),
    'text',
  ])('that stay: %s', (error) => {
    expect([isPassing(error), isConflict(error)]).toEqual([false, false]);
  });

  it('of two transactions in each other’s way are conflicts', () => {
    const deadlock = failure('deadlock detected', { code: '40P01' });
    expect([isConflict(deadlock), isPassing(deadlock)]).toEqual([true, false]);
    expect(isConflict(new Error('outer', { cause: deadlock }))).toBe(true);
  });
});
