import { useMemo } from 'react';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import { Card } from '../../kit/card.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { LongText } from './trace/long-text.tsx';

/** The record as it is stored. */
export function RecordTab({ record }: { record: TrialRecord }) {
  const text = useMemo(() => JSON.stringify(record, null, 2), [record]);
  return (
    <Card title="The record as it is stored" actions={<CopyButton text={text} label="Copy the record" />}>
      <LongText text={text} label="Record as JSON" wanted={undefined} height="tall" />
    </Card>
  );
}
