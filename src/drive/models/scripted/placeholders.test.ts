import { describe, expect, it } from 'vitest';
import { conversationOf } from './conversation.ts';
import { fillPlaceholders, misspeltPlaceholders } from './placeholders.ts';

const conversation = conversationOf({
  path: 'chat',
  model: 'gpt-x',
  isStreaming: false,
  system: '',
  messages: [
    { role: 'user', content: 'say {{model}} "twice"' },
    { role: 'assistant', content: 'x' },
    { role: 'tool', callId: '1', tool: 't', content: '$& done' },
  ],
  tools: [],
});

const fill = (text: unknown, match: readonly string[] = []): unknown => fillPlaceholders(text, conversation, match);

describe('fillPlaceholders', () => {
  it('knows the conversation', () => {
    expect(fill('{{ model }}, turn {{turn}}: {{toolResult}}')).toBe('gpt-x, turn 2: $& done');
  });

  it('does not fill in what it has filled in', () => {
    expect(fill('{{last}}')).toBe('say {{model}} "twice"');
  });

  it('knows the match and its groups, and gives nothing for one that is not there', () => {
    expect(fill('[{{match}}] [{{match.0}}] [{{match.1}}] [{{match.7}}]', ['ab', 'b'])).toBe('[ab] [ab] [b] []');
  });

  it('goes through lists and objects and leaves everything else as it is', () => {
    const value = { a: ['{{turn}}', 1, null, true], '{{turn}}': { deep: '{{turn}}' } };
    expect(fill(value)).toEqual({ a: ['2', 1, null, true], '{{turn}}': { deep: '2' } });
    expect(fill('{{unknown}} {{turn.1}} {{}} { {turn} }')).toBe('{{unknown}} {{turn.1}} {{}} { {turn} }');
  });
});

describe('misspeltPlaceholders', () => {
  it('finds what is nearly one, and takes no offence at other templates', () => {
    expect(misspeltPlaceholders('{{last}} {{lats}} {{customer}} {{macth.1}}')).toEqual([
      { written: 'lats', column: 10, meant: 'last' },
      { written: 'macth', column: 32, meant: 'match' },
    ]);
  });
});
