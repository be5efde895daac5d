import type { ServerPart } from '../../../../domain/mcp.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { ReadContext } from '../../scenario-format.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

/** A file on its way to scenarios. */
export interface Reading {
  readonly config: McpServerConfig;
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly found: Findings;
  /** Names that are taken, and by which part of the file. */
  readonly names: Map<string, ServerPart>;
}
