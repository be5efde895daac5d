import { describe, expect, it } from 'vitest';
import { contentNonce, secretNonce } from '../../drive/models/prompting/fence.ts';
import { commonStart } from '../../drive/tape/nearest.ts';
import { estimateTokens } from '../../mcp-check/context-cost/estimate-tokens.ts';
import { message, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import type { JudgeSubject, PromptSettings, Question } from './judge.ts';
import { criteria } from './modes/criteria.ts';

const listed = [
  'The answer is the word blue',
  'The agent looked the order up before it answered',
  'The reply names the price in euros',
  'The refund was requested once',
  'The agent says which shop is open',
];
const settings: PromptSettings = { nonce: secretNonce('run'), redact: (text) => text, tokenBudget: 24_000 };

function ask(successCriteria: string[], subject: Partial<JudgeSubject>, changed: Partial<PromptSettings> = {}) {
  return criteria.prepare({ successCriteria })(sampleSubject(subject), { ...settings, ...changed });
}

/** Everything that is sent but the lines of data. */
function aroundMaterial({ system, user, output }: Question): string {
  const tags = user.split('\n').filter((line) => !line.startsWith('{'));
  return [JSON.stringify(output.schema), system, ...tags].join('\n');
}

describe('the prompt of a judge', () => {
  it.each([
    { count: 1, most: 400 },
    { count: 5, most: 550 },
  ])('takes at most $most tokens around the material for $count criteria, schema included', ({ count, most }) => {
    const around = aroundMaterial(ask(listed.slice(0, count), {}));
    expect(estimateTokens(around)).toBeLessThanOrEqual(most);
    expect(around.length / 4).toBeLessThanOrEqual(most);
  });

  it('begins alike for all trials of a scenario: at least nine tenths of it without the material', () => {
    const [first, second] = ['blue', 'It is green, I think.'].map((text) => {
      const { system, user, output } = ask(listed.slice(0, 1), { task: text, trace: [message('assistant', text)] });
      return `${JSON.stringify(output.schema)}\n${system}\n${user}`;
    }) as [string, string];
    const around = aroundMaterial(ask(listed.slice(0, 1), {})).length;
    expect(commonStart(first, second) / around).toBeGreaterThanOrEqual(0.9);
  });

  it('begins alike with reference material too, which the trials of a scenario share', () => {
    const references = [{ name: 'price list', text: 'blue paint, 4 euros' }];
    const [first, second] = ['one', 'two'].map((task) => ask(listed.slice(0, 1), { task, references }).user) as [
      string,
      string,
    ];
    expect(first.slice(0, commonStart(first, second))).toContain('blue paint, 4 euros');
  });

  it('has no data in its system text, whatever the names of fences follow from', () => {
    const systems = [settings.nonce, contentNonce].flatMap((nonce) =>
      ['one', 'two'].map((task) => ask(listed, { task }, { nonce }).system),
    );
    expect(new Set(systems).size).toBe(1);
  });

  it('can have the long rules instead, which change nothing else', () => {
    const [lean, long] = [ask(listed, {}), ask(listed, {}, { prompt: 'long' })];
    expect(long.system.length).toBeGreaterThan(lean.system.length);
    expect([long.user, long.output]).toEqual([lean.user, lean.output]);
  });
});
