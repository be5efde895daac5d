import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSkill } from './skill.ts';

const skill = (head: string, body = 'Count every zebra.'): string => `---\n${head}\n---\n\n${body}\n`;

describe('a SKILL.md', () => {
  it('has a name, a description and lines to recognise it by', () => {
    expect(
      parseSkill(skill('name: "zebras"\ndescription: >\n  Counts zebras\n  one by one.', 'Hi\nCount every zebra.')),
    ).toEqual({ name: 'zebras', description: 'Counts zebras one by one.', signature: ['Count every zebra.'] });
  });

  it.each([
    ['# no front matter', 'front matter'],
    [skill('description: d'), 'has no `name`'],
    [skill('name: zebras'), 'has no `description`'],
    [skill('name: ../zebras\ndescription: d'), 'unusable name'],
    [skill('name: zebras\ndescription: d', ''), 'no instructions'],
  ])('is refused: %j', (text, problem) => {
    expect(parseSkill(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('is read or refused whatever it holds, and never names a place outside the folder of skills', () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(fc.string(), fc.string()).map(([head, body]) => skill(head, body)),
    );
    fc.assert(
      fc.property(text, (written) => {
        const read = parseSkill(written);
        if ('problem' in read) return;
        expect(read.name).not.toMatch(/[/\\]|^[.]/);
        expect(read.signature.every((line) => written.includes(line))).toBe(true);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});
