"""The sheets of the workbook, one module each: `write(model)` fills one sheet."""
