import { type ReactNode, useId, useMemo } from 'react';
import type { Path } from '../../../src/shared/document-edit/document-change.ts';
import { WithCode } from '../kit/code.tsx';
import { Field } from '../kit/field.tsx';
import { FieldContext } from '../kit/field-ties.ts';
import { useFieldError } from './form-context.tsx';
import type { FormField } from './form-field.ts';

/** A control with its label, description and error; a bare one only with its error. */
export function Labelled({
  field,
  path,
  isBare = false,
  isInvalid = false,
  children,
}: {
  field: FormField;
  path: Path;
  isBare?: boolean | undefined;
  /** Marks the control as wrong for another reason than a problem of the form. */
  isInvalid?: boolean;
  children: ReactNode;
}) {
  const error = useFieldError(path, true);
  const id = useId();
  const isWrong = isInvalid || error !== undefined;
  const ties = useMemo(
    () => ({
      id,
      'aria-label': field.label,
      'aria-describedby': error === undefined ? undefined : `${id}-error`,
      ...(isWrong && { 'aria-invalid': true as const }),
    }),
    [id, field.label, error, isWrong],
  );
  if (isBare) {
    return (
      <div className="min-w-0 flex-1">
        <FieldContext value={ties}>{children}</FieldContext>
        {error !== undefined && <FieldError id={`${id}-error`} text={error} />}
      </div>
    );
  }
  return (
    <Field
      label={field.label}
      hint={field.description && <WithCode text={field.description} />}
      error={error}
      isRequired={isNeeded(field)}
      isInvalid={isWrong}
    >
      {children}
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
