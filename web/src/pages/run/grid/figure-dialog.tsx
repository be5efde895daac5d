import { useState } from 'react';
import {
  type FigureCondition,
  type FigureSign,
  figureSigns,
  readFigureCondition,
  writtenFigureCondition,
} from '../../../../../src/report/compare/grid/figure-condition.ts';
import { FormDialog } from '../../../kit/dialog.tsx';
import { Field, NumberInput, Select } from '../../../kit/field.tsx';
import { signWords, unitOf } from './figure-words.ts';
import type { GridColumn } from './grid-columns.ts';

interface FigureDialogProps {
  /** The columns that have figures or verdicts. */
  readonly columns: readonly GridColumn[];
  /** As the address has it. */
  readonly written: string | undefined;
  readonly onChange: (written: string) => void;
  readonly onClose: () => void;
}

/** The condition is about trials, and the columns have means. */
const plainNames: Readonly<Record<string, string>> = { duration: 'Time', cost: 'Cost' };

function aboutFigure(by: string, sign: FigureSign, value: number | null): FigureCondition | undefined {
  return value === null ? undefined : { by, sign, value };
}

/** Lists only cases with a figure above or below a value, or with a verdict of one evaluator. */
export function FigureDialog({ columns, written, onChange, onClose }: FigureDialogProps) {
  const current = readFigureCondition(written ?? '');
  const [by, setBy] = useState(current?.by ?? columns[0]?.key ?? 'duration');
  const [sign, setSign] = useState<FigureSign>(current?.sign ?? '>');
  const [value, setValue] = useState<number | null>(current?.value ?? null);
  const isVerdict = by.startsWith('e:');
  const condition = isVerdict
    ? { by, sign: sign === '=' ? sign : ('<' as const), value: 1 }
    : aboutFigure(by, sign, value);
  return (
    <FormDialog
      title="Cases by a figure or verdict"
      submit="Show these cases"
      onClose={onClose}
      sending={{ isPending: false, error: null }}
      isReady={condition !== undefined}
      onSubmit={() => {
        if (condition) onChange(writtenFigureCondition(condition));
        onClose();
      }}
    >
      <Field label="Figure or evaluator">
        <Select
          options={columns.map(({ key, label }) => ({ value: key, label: plainNames[key] ?? label }))}
          value={by}
          onChange={setBy}
        />
      </Field>
      {isVerdict ? (
        <Field label="Verdict">
          <Select
            options={[
              { value: '<', label: 'failed' },
              { value: '=', label: 'passed' },
            ]}
            value={sign === '=' ? '=' : '<'}
            onChange={(chosen) => setSign(chosen as FigureSign)}
          />
        </Field>
      ) : (
        <div className="grid grid-cols-2 gap-3">
          <Field label="Is">
            <Select
              options={figureSigns.map((each) => ({ value: each, label: signWords[each] }))}
              value={sign}
              onChange={(chosen) => setSign(chosen as FigureSign)}
            />
          </Field>
          <Field label={unitOf(by) === '' ? 'Value' : `Value in ${unitOf(by)}`} isRequired>
            <NumberInput value={value} onChange={setValue} />
          </Field>
        </div>
      )}
      <p className="text-xs text-muted">
        A case is listed when one of its trials is so. Figures that were not observed never are.
      </p>
    </FormDialog>
  );
}
