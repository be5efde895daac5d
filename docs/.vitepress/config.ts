import { defineConfig } from 'vitepress';
import { copiedCommands } from './copied-commands.ts';
import { repositoryLinks, slugify } from './links.ts';
import { sidebar, topNavigation } from './navigation.ts';
import { plainText } from './plain-text.ts';

export default defineConfig({
  title: 'Assay',
  description: 'Evaluate how well agents use tools, and how well your tools work for agents',
  lang: 'en',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  markdown: {
    anchor: { slugify },
    codeTransformers: [copiedCommands],
    config: (markdown) => {
      plainText(markdown);
      repositoryLinks(markdown);
    },
  },
  themeConfig: {
    nav: topNavigation(),
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
