import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../domain/message.ts';
import { findBrokenRole, findSuspicions } from './role-check.ts';

const offer = 'I can offer you a table for two on Friday at seven.';
const conversation: readonly Message[] = [
  { role: 'user', content: 'I need a table for two this week, please.' },
  { role: 'assistant', content: offer },
];

function broken(message: string, messages = conversation, authorTexts: readonly string[] = []): string | undefined {
  return findBrokenRole(message, messages, authorTexts);
}

describe('a role that is certainly broken', () => {
  it.each([offer, offer.toUpperCase(), `  ${offer.replaceAll(' ', '\n ')} `])('an echo: %j', (message) => {
    expect(broken(message)).toBe('it repeats what the assistant said, word for word');
  });

  it('an echo in a script without spaces', () => {
    const messages: Message[] = [{ role: 'assistant', content: '您的预订号码是什么？' }];
    expect(broken('您的预订号码是什么？', messages)).toBeDefined();
  });

  it.each([
    'I am an AI language model.',
    "I'm an AI, so I have no phone number.",
    'Sorry, I’m just a virtual assistant and cannot eat.',
    'Hello! I am an AI assistant created by Example.',
    "As an AI, I don't have personal preferences.",
    'As a large language model trained by Example, I cannot book tables.',
    'Thanks\nI am a chatbot.',
  ])('a claim to be an AI: %j', (message) => {
    expect(broken(message)).toBe('it calls itself an AI, but it is the user');
  });
});

describe('a role that may be kept', () => {
  it.each([
    'Yes, please.',
    'Are you an AI?',
    'You think I am an AI?',
    "I'm not an AI.",
    "I'm an AI researcher and need a quiet table.",
    'I work as an AI engineer and I need a table.',
    'As an AI assistant, you should know that.',
    'As an AI, you can surely do what I ask.',
    'You said "I am an AI." Is that true?',
    'Why do you write "Sorry, I am an AI." all the time?',
    'Can I talk to a human? You are a chatbot.',
    'My assistant, I hear, is an AI.',
  ])('%j', (message) => {
    expect(broken(message)).toBeUndefined();
  });

  it('short words that both sides say', () => {
    expect(broken('Good morning!', [{ role: 'assistant', content: 'Good morning!' }])).toBeUndefined();
  });

  it('words of the user that the agent repeated first', () => {
    const wish = 'I need a table for two this week, please.';
    const echoed: Message[] = [...conversation, { role: 'assistant', content: wish }];
    expect(broken(wish, echoed)).toBeUndefined();
    expect(findSuspicions(wish, echoed, [])).toContain('it said the same before');
  });

  it('a persona that is meant to be a program', () => {
    const message = 'I am an AI assistant, and I book for my owner.';
    expect(broken(message, conversation, ['Bo is an AI assistant that books for a guest'])).toBeUndefined();
    expect(broken(message, conversation, ['Bo is not an AI assistant'])).toBeDefined();
    expect(findSuspicions(message, conversation, [])).toEqual(['it calls itself an AI']);
  });
});

describe('suspicions', () => {
  it.each([
    ['How can I help you today?', 'it speaks like an assistant'],
    ["Of course! I'd be happy to help you with that.", 'it speaks like an assistant'],
    ['Sure, here is the list of tables.', 'it speaks like an assistant'],
    ["Done. I've booked the table on Friday for you.", 'it speaks like an assistant'],
    ['Is there anything else I can help with?', 'it speaks like an assistant'],
    ['Yes please.\nAssistant: It is booked.', 'it writes for the assistant too'],
    ['I can offer you a table for two on Friday at seven. Right', 'it says little but what the assistant said'],
    ['My booking is BK-12345, right?', 'it names BK-12345, which it was not given'],
  ])('%j: %s', (message, suspicion) => {
    expect(findSuspicions(message, conversation, [])).toEqual([suspicion]);
  });

  it.each(['Friday at seven is fine, thank you.', 'Can you help me with something else?', 'Is ABC-1 the code?'])(
    'none: %j',
    (message) => {
      expect(findSuspicions(message, conversation, [])).toEqual([]);
    },
  );

  it('references from the conversation may be named', () => {
    const message = 'It is about BK-12345.';
    const given: Message[] = [...conversation, { role: 'assistant', content: 'Your number: bk-12345' }];
    expect(findSuspicions(message, conversation, ['The customer has the number BK-12345'])).toEqual([]);
    expect(findSuspicions(message, given, [])).toEqual([]);
  });
});

describe('any text', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(offer, 'I am an AI.', '', '\n'.repeat(999)));

  it('is checked without failing, and an echo is found whatever it says', () => {
    fc.assert(
      fc.property(text, text, (message, other) => {
        const messages: Message[] = [{ role: 'assistant', content: `${other} one two three four five six` }];
        findSuspicions(message, messages, [other]);
        return broken(`${other} one two three four five six`, messages) !== undefined;
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
