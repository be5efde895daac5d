import { describe, expect, it } from 'vitest';
import { answerText } from './call-tool.ts';

describe('the text of a result for a model', () => {
  it.each([
    [
      'text',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    ['text beside data', { content: [{ type: 'text', text: 'a' }], structuredContent: { b: 1 } }, 'a'],
    ['data alone', { content: [], structuredContent: { b: 1 } }, '{"b":1}'],
    ['nothing', { content: [] }, '(the tool returned nothing)'],
    ['no content at all', {}, '(the tool returned nothing)'],
    [
      'a picture',
      { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
      '[image of type image/png, not shown]',
    ],
    ['a text resource', { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'inside' } }] }, 'inside'],
    [
      'a binary resource',
      { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' } }] },
      '[resource a:b, not shown]',
    ],
    ['a link', { content: [{ type: 'resource_link', name: 'n', uri: 'a:b' }] }, '[resource n: a:b]'],
    ['junk', { content: [7, { type: 'text' }, {}] }, '[text, not shown]\n[something, not shown]'],
  ])('%s', (_name, result, text) => {
    expect(answerText(result)).toBe(text);
  });
});
