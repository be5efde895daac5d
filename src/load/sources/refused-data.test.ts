import { describe, expect, it } from 'vitest';
import { ProblemsError } from '../../domain/problem.ts';
import { parseSource } from './source-file.ts';

async function problemsIn(file: string, text: string): Promise<string[]> {
  try {
    await parseSource(file, text);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return error.problems.map(({ at, message }) => `${at?.line}:${at?.column} ${message}`);
  }
}

describe('numbers of files', () => {
  it('are refused where they would become another number, with their place', async () => {
    const lost = 'the number 1234567890123456788 has more digits than can be kept';
    expect(await problemsIn('a.yaml', 'a: 1\nid: 1234567890123456788\n')).toEqual([`2:5 ${lost}`]);
    expect(await problemsIn('a.json', '{\n  "list": [1, 1234567890123456788]\n}')).toEqual([`2:15 ${lost}`]);
    expect(await problemsIn('a.yaml', 'a: .inf\n')).toEqual(['1:4 the number is infinite or too large']);
  });

  it.each(['9007199254740991', '"1234567890123456788"', '1700000000000000000', '-32619837537463990', '1e21', '0.1'])(
    'are taken where they are what is written: %s',
    async (number) => expect(await problemsIn('a.yaml', `id: ${number}\n`)).toEqual([]),
  );
});
