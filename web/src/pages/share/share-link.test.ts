import { describe, expect, it } from 'vitest';
import { isOnlyHere, linkTo } from './share-dialog.tsx';

describe('links for others', () => {
  it('keep the page and its filters, and have the token of the other only', () => {
    const page = 'http://host:7420/compare?a=r-1&b=r-2&token=mine#cases';
    expect(linkTo(page, 'theirs')).toBe('http://host:7420/compare?a=r-1&b=r-2&token=theirs#cases');
    expect(linkTo(page, undefined)).toBe('http://host:7420/compare?a=r-1&b=r-2#cases');
  });

  it.each([
    ['127.0.0.1', true],
    ['localhost', true],
    ['assay.localhost', true],
    ['[::1]', true],
    ['10.0.0.4', false],
    ['assay.example', false],
  ])('of %s work on one computer only: %s', (hostname, isLocal) => {
    expect(isOnlyHere(hostname)).toBe(isLocal);
  });
});
