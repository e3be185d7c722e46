/** Days in the browser's time zone, written as in `2026-11-17`. */

/** Dates are told in the language of the console, whatever that of the browser is. */
export const language = 'en';
// A format is slow to create, and a sheet has thousands of times.
export const timeFormat = new Intl.DateTimeFormat(language, { timeStyle: 'short' });

export function dayOf(date: Date): string {
  const numbers = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return numbers.map((number) => number.toString().padStart(2, '0')).join('-');
}

/** The midnight with which a day begins, or one some days later. */
export function startOf(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater);
}

export function titleOf(day: string): string {
  return startOf(day).toLocaleDateString(language, { weekday: 'long', month: 'long', day: 'numeric' });
}

/** A time of this day, or a date and time of another one. */
export function tellTime(date: Date, day: string): string {
  const time = timeFormat.format(date);
  if (dayOf(date) === day) return time;
  return `${date.toLocaleDateString(language, { month: 'short', day: 'numeric' })}, ${time}`;
}
