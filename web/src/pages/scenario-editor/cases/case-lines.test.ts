import { describe, expect, it } from 'vitest';
import { caseLines, readCaseLines } from './case-lines.ts';
import { importProblems, mostLines, planImport } from './import-plan.ts';

describe('cases as JSON Lines', () => {
  it('come back as they were, with every field', () => {
    const cases = [
      { name: 'a: "b"', input: { list: [1, -2.5e-7, null, true], text: 'x\u2028y\n"{:}"' }, note: { kept: [] } },
      { input: 9_007_199_254_740_991 },
    ];
    const { cases: read, problems } = readCaseLines(`\uFEFF${caseLines(cases).replace('\n', '\r\n\r\n')}`);
    expect(problems).toEqual([]);
    expect(read.map(({ value }) => value)).toEqual(cases);
    expect(read.map(({ line }) => line)).toEqual([1, 3]);
  });

  it('are refused with the number of each wrong line', () => {
    const lines = [
      '{"input": 1}',
      '{"input": }',
      '[1]',
      '',
      '{"a": 1, "a": 2}',
      '{"id": 12345678901234567890}',
      '{"x": 1e999}',
    ];
    const { cases, problems } = readCaseLines(lines.join('\n'));
    expect(cases).toHaveLength(1);
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 5, 6, 7]);
    expect(problems.map(({ message }) => message).join('\n')).toMatch(
      /not JSON.*\n.*must be a JSON object\n.*twice\n12345678901234567890 has more digits.*\n1e999/,
    );
  });

  it('are not written where JSON would change a number', () => {
    expect(() => caseLines([{ input: 1 }, { input: { deep: [Number.NaN] } }])).toThrow('Case 2');
    expect(() => caseLines([{ input: 2 ** 60 }])).toThrow('JSON would not keep');
  });
});

describe('an import of cases', () => {
  const text =
    'name: x # the name\ncases:\n  - { name: one, input: 1 } # the first\npassCriteria: [result === input]\n';
  const cases = readCaseLines('{"name":"two","input":2}\n{"name":"three","wrong":3}').cases;

  it('adds to the cases of the file and leaves its comments alone', () => {
    const plan = planImport(text, 'yaml', cases, 'add');
    if (typeof plan === 'string') throw new Error(plan);
    expect(plan.offset).toBe(1);
    expect(plan.text).toContain('# the name');
    expect(plan.text).toContain('# the first');
    expect(plan.text.indexOf('two')).toBeGreaterThan(plan.text.indexOf('one'));
  });

  it('replaces them, or makes the first ones', () => {
    const replaced = planImport(text, 'yaml', cases, 'replace');
    const first = planImport('{ "name": "x" }', 'json', cases, 'add');
    if (typeof replaced === 'string' || typeof first === 'string') throw new Error('not planned');
    expect(replaced.text).not.toContain('one');
    expect(JSON.parse(first.text)).toMatchObject({ name: 'x', cases: [{ input: 2 }, { wrong: 3 }] });
  });

  it('names the line of each problem that the server finds', () => {
    const plan = planImport(text, 'yaml', cases, 'add');
    if (typeof plan === 'string') throw new Error(plan);
    const line = plan.text.split('\n').findIndex((one) => one.includes('wrong')) + 1;
    const column = (plan.text.split('\n')[line - 1] ?? '').indexOf('wrong') + 1;
    const problem = { line, column, message: 'unknown key `wrong`', severity: 'error' } as const;
    const elsewhere = { ...problem, line: 1, column: 1 };
    expect(importProblems(plan, 'yaml', cases, [problem, elsewhere])).toMatchObject([
      { line: 2, message: expect.stringContaining('unknown key `wrong`') },
    ]);
  });

  it('says why it cannot be done', () => {
    expect(planImport('cases: [', 'yaml', cases, 'add')).toMatch('cannot be read');
    const many = Array.from({ length: mostLines + 1 }, (_, line) => ({ line, value: { input: line } }));
    expect(planImport(text, 'yaml', many, 'replace')).toMatch('dataset');
  });
});
