import type { Feature } from '../../engine/feature.ts';
import { RunPins } from './run-pins.ts';

/** A trial whose MCP servers offer other tools than those that the run met first has no verdict. */
export const toolPins: Feature = {
  name: 'tool-pins',
  open: async ({ header, store }) => new RunPins(header.runId, store),
};
