import { drawText } from '../../shared/blocks/draw-text.ts';
import type { CheckFormat } from './check-format.ts';
import { checkSections, closingBlocks } from './check-sections.ts';

const mostPerRule = 12;

/** Text for people at a terminal. */
export const consoleFormat: CheckFormat = {
  name: 'console',
  endings: ['.txt'],
  render(report, style) {
    return `\n${drawText([...checkSections(report, mostPerRule), { blocks: closingBlocks(report) }], style)}`;
  },
};
