import { describe, expect, it } from 'vitest';
import { contentNonce, raiseFence, secretNonce } from './fence.ts';

const good = 'f00dfeedf00dfeed';

describe('raiseFence', () => {
  it('puts lines between an opening and a closing fence', () => {
    const fence = raiseFence(['1', '2'], () => good);
    expect(fence.wrap(['1', '2'])).toBe(`<data-${good}>\n1\n2\n</data-${good}>`);
    expect(fence.wrap([])).toBe('(none)');
  });

  it('draws again while the name occurs in the data, in whatever case', () => {
    const drawn = [good, 'cafecafecafecafe'];
    const fence = raiseFence([`"${good.toUpperCase()}"`], () => drawn.shift() ?? '');
    expect(fence.name).toBe('data-cafecafecafecafe');
  });

  it.each(['', 'short', `${good}>`, 'with blanks in it'])('refuses the nonce %j', (nonce) => {
    expect(() => raiseFence([], () => nonce)).toThrow('Every generated fence name occurs in the data');
  });

  it('gives up on a source that knows one name only, and the data knows it too', () => {
    expect(() => raiseFence([good], () => good)).toThrow('Every generated fence name occurs in the data');
  });
});

describe('contentNonce', () => {
  it('is the same for the same data and another for other data', () => {
    expect(contentNonce('a')).toBe(contentNonce('a'));
    expect(contentNonce('a')).not.toBe(contentNonce('b'));
    expect(contentNonce('a')).toMatch(/^[a-f0-9]{16}$/);
  });
});

describe('secretNonce', () => {
  it('is the same for all data, another one where the data holds it, and not to be guessed', () => {
    const nonce = secretNonce('a');
    const { name } = raiseFence(['1'], nonce);
    expect(raiseFence(['2'], nonce).name).toBe(name);
    expect(raiseFence([name], nonce).name).not.toBe(name);
    expect(raiseFence(['1'], secretNonce('b')).name).not.toBe(name);
  });
});
