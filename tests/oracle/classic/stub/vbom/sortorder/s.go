package sortorder
