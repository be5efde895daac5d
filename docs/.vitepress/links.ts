import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { docsFolder, firstPage } from './navigation.ts';

const root = join(docsFolder, '..');

/** The anchor that code hosts give to a heading, so one link works there and on the site. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/**
 * Links are written for readers of the repository. A link to a folder of pages leads to its first page; a link to a
 * file outside the documentation becomes the name of the file, because the site does not contain it.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.after('inline', 'repository-links', (state) => {
    const page: string = state.env.path;
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href === null || /^(#|\/|[a-z]+:)/.test(href)) continue;
        const file = join(dirname(page), href.replace(/#.*/, ''));
        if (!existsSync(file)) continue;
        const place = relative(docsFolder, file);
        if (place.startsWith('..')) leaveOut(token, children ?? [], relative(root, file));
        else if (statSync(file).isDirectory()) token.attrSet('href', firstPage(place) ?? '/');
        else if (place === 'README.md') token.attrSet('href', '/');
      }
    }
  });
}

type Token = Parameters<Parameters<MarkdownRenderer['core']['ruler']['after']>[2]>[0]['tokens'][number];

/** Turns a link into a text with the path of the file as its tooltip. */
function leaveOut(open: Token, siblings: readonly Token[], path: string): void {
  const close = siblings.slice(siblings.indexOf(open)).find(({ type }) => type === 'link_close');
  open.tag = 'span';
  open.attrs = [['title', `${path} in the repository`]];
  open.type = 'repository_file_open';
  if (!close) return;
  close.tag = 'span';
  close.type = 'repository_file_close';
}
