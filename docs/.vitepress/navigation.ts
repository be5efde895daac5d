import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';

/** Folder of the documentation. */
export const docsFolder = fileURLToPath(new URL('..', import.meta.url));

/** The page that opens each folder on a code host, and the whole site here. */
const contentsFile = 'README.md';

type SidebarItem = DefaultTheme.SidebarItem;

const sections = ['tutorial', 'guides', 'reference', 'explanation'] as const;

/** The four sections with all of their pages, in the order of the contents page; a page of no section ends the guides. */
export function sidebar(): SidebarItem[] {
  return sections.map((section) => {
    const others = section === 'guides' ? pagesIn(docsFolder) : [];
    return { text: titleOfFolder(section), items: [...itemsOf(join(docsFolder, section)), ...others] };
  });
}

/** One entry per section, leading to its first page. */
export function topNavigation(): { text: string; link: string; activeMatch: string }[] {
  return sections.flatMap((section) => {
    const link = firstPage(section);
    return link === undefined ? [] : [{ text: titleOfFolder(section), link, activeMatch: `^/${section}/` }];
  });
}

/** Where a link to a folder leads: to its first page. */
export function firstPage(folder: string): string | undefined {
  return pagesOf(itemsOf(join(docsFolder, folder)))[0];
}

/** The links to all pages under these entries. */
export function pagesOf(items: readonly SidebarItem[]): string[] {
  return items.flatMap((item) => [...(item.link === undefined ? [] : [item.link]), ...pagesOf(item.items ?? [])]);
}

function itemsOf(folder: string): SidebarItem[] {
  const folders = readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isDirectory())
    .map((name) => ({ text: titleOfFolder(name), collapsed: true, items: itemsOf(join(folder, name)) }));
  return [...pagesIn(folder), ...folders];
}

function pagesIn(folder: string): { text: string; link: string }[] {
  const order = linkOrder();
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== contentsFile)
    .map((name) => ({ text: titleOfPage(join(folder, name)), link: linkTo(join(folder, name)) }))
    .sort((a, b) => order(a.link) - order(b.link) || a.text.localeCompare(b.text, 'en', { numeric: true }));
}

/** The place of a page among the links of the contents page; pages it does not name follow by title. */
function linkOrder(): (link: string) => number {
  const text = readFileSync(join(docsFolder, contentsFile), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#]+\.md)/g)].map(([, path = '']) => linkTo(join(docsFolder, path)));
  return (link) => (links.includes(link) ? links.indexOf(link) : links.length);
}

function linkTo(file: string): string {
  return `/${relative(docsFolder, file).replaceAll('\\', '/').replace(/\.md$/, '')}`;
}

function titleOfPage(file: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return heading?.replaceAll('`', '') ?? basename(file, '.md');
}

function titleOfFolder(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
