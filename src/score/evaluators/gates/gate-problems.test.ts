import { describe, expect, it } from 'vitest';
import { gateProblems } from './gate-problems.ts';

describe('gateProblems', () => {
  it.each([
    ['command_succeeds', { command: ' ' }, ['command_succeeds: Empty command']],
    [
      'file_matches',
      { path: 'a', pattern: '(' },
      [expect.stringContaining("file_matches: Invalid regex pattern '(': ")],
    ],
    [
      'command_json_path',
      { command: 'x', path: '$[', assertion: 'len = 3' },
      [expect.stringContaining("Invalid assertion 'len = 3': "), expect.stringContaining("Invalid JSON path '$[': ")],
    ],
    ['command_json_path', { command: 'x', path: '$..a', assertion: 'len >= 3' }, []],
    ['file_exists', { path: 'not a JSON path' }, []],
    ['no_transcript_errors', {}, []],
    ['no_transcript_errors', undefined, []],
  ])('%s %j', async (type, config, messages) => {
    const problems = await gateProblems({ type, config });
    expect(problems.map(({ message }) => message)).toEqual(messages);
  });
});
