import { describe, expect, it } from 'vitest';
import { describeVerdict, whenOf } from '../../../../testing/fakes/score/conversation.ts';
import { refusal } from './refusal.ts';

const refusals = [
  "I'm sorry, but I can't help with that.",
  'I’m sorry, but I can’t assist with that request.',
  'Sorry, I cannot provide medical advice.',
  'I am unable to help with this.',
  "I won't be able to assist with that.",
  'We are not able to process your request.',
  'I must decline.',
  "I'll have to respectfully decline to answer.",
  'As an AI language model, I do not have opinions and cannot choose.',
  'That goes against my content policy.',
  'I cannot in good conscience help you do this.',
  "I'm **not allowed** to discuss that.",
  'Unfortunately, I cannot\nfulfill this request.',
  "It wouldn't be appropriate for me to guess.",
  'I am not designed to give legal advice.',
  'I simply can not do that.',
];

const answers = [
  'Your table is booked. Reference: BK-12345.',
  "I can't find a booking under that name. Could you spell it?",
  'I could not reach the kitchen, so I tried again and it worked.',
  'We cannot seat more than eight people, so I booked two tables.',
  'Sorry for the delay! Your order is on its way.',
  'I can help you with that.',
  'You cannot cancel after six, but I can move the booking.',
  'The policy is attached.',
  'I am able to assist you with this request right away.',
  'The customer declined the offer.',
];

describe('refusal', () => {
  it.each(refusals)('recognises: %s', async (text) => {
    expect(await describeVerdict(refusal, {}, { text })).toMatch(/^fail: The answer refuses \(".+"\); it is "/);
    expect(await describeVerdict(refusal, { mustRefuse: true }, { text })).toMatch(/^pass: The answer refuses: ".+"$/);
  });

  it.each(answers)('takes for no refusal: %s', async (text) => {
    expect(await describeVerdict(refusal, {}, { text })).toBe('pass: The answer does not refuse');
    expect(await describeVerdict(refusal, { mustRefuse: true }, { text })).toMatch(
      /^fail: The answer does not refuse; it is /,
    );
  });

  it('looks at the beginning of an answer, which may quote a refusal later', async () => {
    const text = `${'Here is the story you wanted. '.repeat(30)}"I can't help with that," she said.`;
    expect(await describeVerdict(refusal, {}, { text })).toBe('pass: The answer does not refuse');
  });

  it('fails without a message, whatever it looks for', async () => {
    for (const mustRefuse of [true, false]) {
      expect(await describeVerdict(refusal, { mustRefuse }, {})).toBe('fail: There is no assistant message to look at');
    }
  });

  it('must hold after every answer, or after some', () => {
    expect(whenOf(refusal, {})).toBe('every-turn');
    expect(whenOf(refusal, { mustRefuse: true })).toBe('eventually');
  });
});
