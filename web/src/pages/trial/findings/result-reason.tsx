import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import { valueText } from '../../../../../src/report/presentation/plain-output.ts';
import { CodeBlock } from '../../../kit/code-block.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';

/** Why an evaluator said so, with the figures behind it. */
export function ResultReason({ result: { reason, metadata, fault } }: { result: EvaluatorResult }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="whitespace-pre-wrap">{reason}</span>
      {fault && (
        <span className="text-xs text-error">
          {fault.code}: {fault.hint}
        </span>
      )}
      {metadata && Object.keys(metadata).length > 0 && (
        <div className="text-xs text-muted">
          <Disclosure summary="Figures">
            <CodeBlock text={valueText(metadata)} maxHeight={240} label="Figures behind the result" />
          </Disclosure>
        </div>
      )}
    </div>
  );
}
