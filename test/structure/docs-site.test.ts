import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slugify } from '../../docs/.vitepress/links.ts';
import { docsFolder, pagesOf, sidebar } from '../../docs/.vitepress/navigation.ts';

const pages = readdirSync(docsFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  .map((entry) => relative(docsFolder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((page) => !page.startsWith('.vitepress'))
  .sort();

describe('the documentation site', () => {
  it('lists every page once', () => {
    const listed = pagesOf(sidebar()).map((link) => `${link.slice(1)}.md`);
    expect(listed.sort()).toEqual(pages.filter((name) => name !== 'README.md'));
  });

  it('shows the sections in the order in which they are read', () => {
    expect(sidebar().map(({ text }) => text)).toEqual(['Tutorial', 'Guides', 'Reference', 'Explanation']);
  });

  it.each(pages)('has no dead link in %s', (page) => {
    expect(deadLinks(join(docsFolder, page))).toEqual([]);
  });
});

describe('pages outside of the documentation', () => {
  const root = join(docsFolder, '..');
  const examples = readdirSync(join(root, 'examples')).map((name) => join('examples', name, 'README.md'));
  const others = [...readdirSync(root), ...examples].filter((name) => name.endsWith('.md'));

  it.each(others.filter((name) => existsSync(join(root, name))))('%s has no dead link', (name) => {
    expect(deadLinks(join(root, name))).toEqual([]);
  });
});

function deadLinks(page: string): string[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/.test(href) && !leadsSomewhere(page, href));
}

function leadsSomewhere(page: string, href: string): boolean {
  const [path = '', anchor] = href.split('#');
  const file = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (relative(join(docsFolder, '..'), file).startsWith('..') || !existsSync(file)) return false;
  if (anchor === undefined) return true;
  return statSync(file).isFile() && anchors(file).has(anchor);
}

function anchors(file: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of proseOf(file).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugify(heading.replace(/[`*]/g, ''));
    let unique = slug;
    for (let count = 1; found.has(unique); count++) unique = `${slug}-${count}`;
    found.add(unique);
  }
  return found;
}

/** A page without its code blocks. */
function proseOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');
}
