import { describe, expect, it } from 'vitest';
import { TaskReader } from './task-reader.ts';

function read(...results: readonly unknown[]): TaskReader {
  const reader = new TaskReader();
  for (const result of results) reader.add(result);
  return reader;
}

const parts = [{ kind: 'text', text: 'Sunny' }];

describe('what an agent sends', () => {
  it.each([
    ['a message', { kind: 'message', role: 'agent', parts }],
    ['a message of 1.0', { message: { role: 'ROLE_AGENT', parts: [{ text: 'Sunny' }] } }],
    ['a task', { kind: 'task', id: 't', status: { state: 'completed' }, artifacts: [{ artifactId: 'a', parts }] }],
  ])('is its answer, without a gap: %s', (_, result) => {
    const { text, gaps } = read(result);
    expect([text, gaps]).toEqual(['Sunny', []]);
  });

  it('is not its answer where the words are those of the user', () => {
    const reader = read({ kind: 'message', role: 'user', parts });
    expect([reader.isEmpty, reader.text]).toEqual([true, '']);
    expect(read({ message: { role: 'ROLE_USER', parts } }).isEmpty).toBe(true);
  });

  it.each([
    ['a part of an unknown kind', { kind: 'message', role: 'agent', parts: [...parts, { kind: 'hologram' }] }],
    ['a part that is not an object', { kind: 'message', role: 'agent', parts: [...parts, 7] }],
    ['a message of an unknown role', { kind: 'message', role: 'oracle', parts }],
    ['a result of an unknown kind', { kind: 'hologram', parts: undefined }],
  ])('is a gap where it holds %s', (_, result) => {
    expect(read(result).gaps).toMatchObject([{ channels: ['answers'] }]);
  });
});
