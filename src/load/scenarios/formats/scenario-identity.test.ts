import { describe, expect, it } from 'vitest';
import { identityOf } from './scenario-identity.ts';

const file = {
  name: 'Refunds',
  tags: ['a'],
  connector: { type: 'http', baseUrl: 'http://old.test' },
  userMessages: ['I want my money back about {{item}}.'],
  dataset: { path: 'rows.csv' },
};

function identity(written: object, connector: object = { baseUrl: 'http://old.test' }, rows = 'rows') {
  const subjectKeys = ['connector'];
  return identityOf({ written, subjectKeys, subject: { connectors: { main: connector } }, content: [rows] });
}

describe('the identity of a scenario', () => {
  it('keeps its task under another connector, and shows what changed in it', () => {
    const other = { ...file, connector: { type: 'http', baseUrl: 'http://new.test' } };
    const [before, after] = [identity(file), identity(other, { baseUrl: 'http://new.test' })];
    expect(after.task).toBe(before.task);
    expect(before.subject).toEqual({ 'connectors.main.baseUrl': 'http://old.test' });
    expect(after.subject).toEqual({ 'connectors.main.baseUrl': 'http://new.test' });
  });

  it('is another task with another prompt, other rows or another judge', () => {
    const { task } = identity(file);
    expect(identity({ ...file, userMessages: ['Hello'] }).task).not.toBe(task);
    expect(identity({ ...file, judge: { model: 'm' } }).task).not.toBe(task);
    expect(identity(file, {}, 'other rows').task).not.toBe(task);
  });

  it('is the same task under another name, with other tags, repeats, rules for CI and clusters', () => {
    const changed = { ...file, name: 'Other', tags: [], repeat: 5, ci: { role: 'holdout' } };
    const clustered = { ...changed, dataset: { path: 'rows.csv', cluster: 'item' } };
    expect(identity(clustered).task).toBe(identity(file).task);
    const cases = [{ input: 1 }, { input: 2 }];
    const grouped = cases.map((one) => ({ ...one, cluster: 'odd' }));
    expect(identity({ ...file, cases: grouped }).task).toBe(identity({ ...file, cases }).task);
  });

  it('shares its template with a file that has other rows, and with no other task', () => {
    const { template } = identity(file);
    expect(identity({ ...file, dataset: { path: 'more.csv' } }, {}, 'more rows').template).toBe(template);
    expect(identity({ ...file, userMessages: ['Hello'] }).template).not.toBe(template);
  });

  it('holds no secrets, and still distinguishes them', () => {
    const secret = (key: string) => ({
      baseUrl: `http://user:${key}@host.test/v1?token=${key}`,
      headers: { authorization: `Bearer ${key}` },
      apiKey: key,
    });
    const [one, two] = [identity(file, secret('hunter2-aaaa')), identity(file, secret('hunter2-bbbb'))];
    expect(JSON.stringify([one, two])).not.toContain('hunter2');
    expect(Object.keys(one.subject)).toHaveLength(3);
    for (const [key, value] of Object.entries(one.subject)) expect(two.subject[key]).not.toBe(value);
  });
});
