// Style sheets are gathered by the bundler; importing one brings no value.
declare module '*.css';
