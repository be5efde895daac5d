import { describe, expect, it } from 'vitest';
import { gateWarnings } from './gate-warnings.ts';

describe('gateWarnings', () => {
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
  ])('%s %j', async (type, config, warnings) => {
    expect(await gateWarnings({ type, config })).toEqual(warnings);
  });
});
