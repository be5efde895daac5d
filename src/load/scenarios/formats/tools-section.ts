import { formatPosition } from '../../../domain/errors.ts';
import { listedMocks, type ToolControl, type ToolsSection } from '../../../domain/tool-control/mocks.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';

/** The rules of a scenario for the calls of its tools; undefined where it leaves them alone. */
export function readToolControl(tools: ToolsSection, source: ParsedSource): ToolControl | undefined {
  const mocks = Object.entries(tools ?? {}).flatMap(([tool, written]) =>
    listedMocks(written).map(({ mock, path: index }) => {
      const path = ['tools', tool, ...index];
      const place = (...inside: readonly string[]) => formatPosition(source.locate([...path, ...inside]));
      const places = { mock: place(), answer: place('result'), args: place('when', 'args') };
      return { tool, mock, places };
    }),
  );
  return mocks.length > 0 ? { mocks } : undefined;
}
