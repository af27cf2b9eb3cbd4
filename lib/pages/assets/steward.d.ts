/** The script's own text. */
declare const text: string;
export default text;
