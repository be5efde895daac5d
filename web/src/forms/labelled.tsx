import { type ReactNode, useId } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { WithCode } from '../kit/code.tsx';
import { Field } from '../kit/field.tsx';
import { useFieldError } from './form-context.tsx';
import type { FormField } from './form-field.ts';

/** The ids that connect a control with its label, its hint and its problems. */
export interface ControlTies {
  readonly id: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A control with its label, description and error; a bare one only with its error. */
export function Labelled({
  field,
  path,
  isBare = false,
  children,
}: {
  field: FormField;
  path: Path;
  isBare?: boolean | undefined;
  children: (ties: ControlTies) => ReactNode;
}) {
  const error = useFieldError(path, true);
  const bareId = useId();
  const invalid = error === undefined ? {} : { 'aria-invalid': true as const };
  if (isBare) {
    const errorId = `${bareId}-error`;
    const described = error === undefined ? {} : { 'aria-describedby': errorId };
    return (
      <div className="min-w-0 flex-1">
        {children({ id: bareId, 'aria-label': field.label, ...described, ...invalid })}
        {error !== undefined && <FieldError id={errorId} text={error} />}
      </div>
    );
  }
  return (
    <Field
      label={field.label}
      hint={field.description && <WithCode text={field.description} />}
      error={error}
      isRequired={isNeeded(field)}
    >
      {(id, describedBy) => children({ id, ...(describedBy ? { 'aria-describedby': describedBy } : {}), ...invalid })}
    </Field>
  );
}

/** Several controls under one label. */
export function LabelledGroup({
  field,
  path,
  isBare = false,
  actions,
  children,
}: {
  field: FormField;
  path: Path;
  isBare?: boolean | undefined;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const error = useFieldError(path, false);
  const id = useId();
  return (
    <fieldset aria-labelledby={id} className="flex min-w-0 flex-1 flex-col gap-2">
      <div className={isBare ? 'sr-only' : 'flex flex-wrap items-center justify-between gap-2'}>
        <div id={id} className="text-sm font-medium">
          {field.label}
          {isNeeded(field) && <span className="text-muted"> (required)</span>}
        </div>
        {!isBare && actions}
      </div>
      {!isBare && field.description && (
        <div className="-mt-2 text-xs text-muted">
          <WithCode text={field.description} />
        </div>
      )}
      {children}
      {error !== undefined && <FieldError id={`${id}-error`} text={error} />}
    </fieldset>
  );
}

function FieldError({ id, text }: { id: string; text: string }) {
  return (
    <div id={id} role="alert" className="mt-1 text-xs font-medium text-fail">
      {text}
    </div>
  );
}

function isNeeded({ isRequired, fallback }: FormField): boolean {
  return isRequired && fallback === undefined;
}
