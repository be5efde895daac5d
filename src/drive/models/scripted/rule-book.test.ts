import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../model.ts';
import { type Conversation, type ConversationContent, conversationOf } from './conversation.ts';
import { RuleBook } from './rule-book.ts';
import { type ScriptSource, scriptSchema } from './script.ts';

type Rules = ScriptSource['rules'];

function bookOf(rules: Rules): RuleBook {
  return new RuleBook(scriptSchema.parse({ rules }));
}

function conversationWith(content: Partial<ConversationContent> = {}): Conversation {
  return conversationOf({
    path: 'chat',
    model: 'gpt-x',
    isStreaming: false,
    system: 'You are terse.',
    messages: [{ role: 'user', content: 'Book a flight to Paris' }],
    tools: [{ name: 'search_flights', isFreeform: false }],
    ...content,
  });
}

/** Whether a rule with one condition answers a conversation. */
function holds(when: NonNullable<Rules[number]['when']>, content?: Partial<ConversationContent>): boolean {
  return bookOf([{ when, reply: '' }]).choose(conversationWith(content)) !== undefined;
}

/** The numbers of the rules that answer the same question so many times. */
function chosen(rules: Rules, count: number): (number | undefined)[] {
  const book = bookOf(rules);
  return Array.from({ length: count }, () => book.choose(conversationWith())?.number);
}

const afterTools: ModelMessage[] = [
  { role: 'user', content: 'Book it' },
  { role: 'assistant', content: '', toolCalls: [{ callId: '1', tool: 'search_flights', input: {} }] },
  { role: 'tool', callId: '1', tool: 'search_flights', content: 'flight AF-1' },
  { role: 'tool', callId: '2', tool: 'search_flights', content: 'flight AF-2' },
];

describe('conditions', () => {
  it.each([
    [{ last: 'flight' }, { last: 'train' }],
    [{ last: '/book.*flight/i' }, { last: '/^flight/' }],
    [{ system: 'terse' }, { system: 'verbose' }],
    [{ model: '/^gpt-/' }, { model: 'claude' }],
    [{ tool: 'search_flights' }, { tool: 'search' }],
    [{ turn: 1 }, { turn: 2 }],
    [{ path: 'chat' }, { path: 'gemini' }],
    [{ nth: 1 }, { nth: 2 }],
    [{}, { toolResult: 'flight' }],
    [
      { last: 'flight', turn: 1 },
      { last: 'flight', turn: 2 },
    ],
  ])('%j holds and %j does not', (holding, failing) => {
    expect(holds(holding)).toBe(true);
    expect(holds(failing)).toBe(false);
  });

  it('ask for results of tools only until the model has answered them', () => {
    const answered: ModelMessage[] = [
      ...afterTools,
      { role: 'assistant', content: 'Booked' },
      { role: 'user', content: 'Thanks' },
    ];
    expect(holds({ toolResult: 'AF-2' }, { messages: afterTools })).toBe(true);
    expect(holds({ last: 'Book it', turn: 2 }, { messages: afterTools })).toBe(true);
    expect(holds({ toolResult: 'AF-2' }, { messages: answered })).toBe(false);
    expect(holds({ last: 'Thanks', turn: 3 }, { messages: answered })).toBe(true);
  });

  it('count with nth only the requests for which all else holds', () => {
    const book = bookOf([{ when: { last: 'flight', nth: 2 }, reply: '' }, { reply: '' }]);
    const other = conversationWith({ messages: [{ role: 'user', content: 'hello' }] });
    expect(
      [conversationWith(), other, other, conversationWith(), conversationWith()].map(
        (each) => book.choose(each)?.number,
      ),
    ).toEqual([2, 2, 2, 1, 2]);
  });
});

describe('choosing a rule', () => {
  it('takes the first that holds', () => {
    expect(chosen([{ when: { last: 'train' }, reply: '' }, { reply: 'a' }, { reply: 'b' }], 1)).toEqual([2]);
  });

  it('goes on to the next when one is used up', () => {
    expect(
      chosen(
        [
          { reply: '', times: 2 },
          { reply: '', times: 1 },
        ],
        4,
      ),
    ).toEqual([1, 1, 2, undefined]);
  });

  it('gives the groups of the first regular expression, and none for plain text', () => {
    const when = { last: 'flight', system: '/are (\\w+)/', model: '/gpt-(.)/' };
    expect(bookOf([{ when, reply: '' }]).choose(conversationWith())?.match).toEqual(['are terse', 'terse']);
    expect(bookOf([{ when: { last: 'flight' }, reply: '' }]).choose(conversationWith())?.match).toEqual([]);
  });

  it('decides by chance as often as configured, and the same way for the same seed', () => {
    const storm = (seed: number): Rules => [{ fault: 'reset', probability: 0.3, seed }, { reply: '' }];
    const first = chosen(storm(7), 2_000);
    const faulty = first.filter((number) => number === 1).length;
    expect(faulty).toBeGreaterThan(2_000 * 0.27);
    expect(faulty).toBeLessThan(2_000 * 0.33);
    expect(chosen(storm(7), 2_000)).toEqual(first);
    expect(chosen(storm(8), 2_000)).not.toEqual(first);
    expect(new Set(chosen([{ reply: '', probability: 0 }], 50))).toEqual(new Set([undefined]));
    expect(new Set(chosen([{ reply: '', probability: 1 }], 50))).toEqual(new Set([1]));
  });

  it('starts over after a reset, chance included', () => {
    const book = bookOf([{ reply: '', times: 3, probability: 0.5 }, { reply: '' }]);
    const tries = (): unknown[] => Array.from({ length: 20 }, () => book.choose(conversationWith())?.number);
    const before = tries();
    book.reset();
    expect(tries()).toEqual(before);
    expect(before.filter((number) => number === 1)).toHaveLength(3);
  });
});
