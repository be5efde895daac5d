import { drawMarkdown } from '../../shared/blocks/draw-markdown.ts';
import type { CheckFormat } from './check-format.ts';
import { checkSections, closingBlocks } from './check-sections.ts';

/** A page for pull requests and wikis. */
export const markdownFormat: CheckFormat = {
  name: 'markdown',
  endings: ['.md', '.markdown'],
  render(report) {
    const head = { title: `MCP check: ${report.server.name}`, level: 1, blocks: closingBlocks(report) } as const;
    return drawMarkdown([head, ...checkSections(report, Number.POSITIVE_INFINITY)]);
  },
};
